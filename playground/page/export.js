// Files: the plane as SVG or PNG, and the points as CSV.

const STYLES = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "stroke-linecap", "stroke-linejoin",
  "opacity", "font-size", "font-family", "font-weight", "paint-order",
];

/** The SVG text of an element, with the style that it has on the page, and a background. */
function svgText(svg) {
  const copy = svg.cloneNode(true);
  const [originals, copies] = [svg, copy].map((root) => [...root.querySelectorAll("*")]);
  originals.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of STYLES) copies[i].style.setProperty(name, style.getPropertyValue(name));
    copies[i].removeAttribute("class");
  });
  const { width, height } = svg.viewBox.baseVal;
  set(copy, { xmlns: SVG, width, height });
  for (const name of ["class", "style", "tabindex", "aria-describedby", "aria-roledescription", "role", "id"]) copy.removeAttribute(name);
  const paper = draw(null, "rect", { width, height, fill: getComputedStyle(document.body).backgroundColor });
  copy.prepend(paper);
  return new XMLSerializer().serializeToString(copy);
}

/** The element as a PNG picture with twice as many pixels in each direction. */
async function pngOf(svg) {
  const { width, height } = svg.viewBox.baseVal;
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(svg))}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * width, height: 2 * height });
  const context = canvas.getContext("2d");
  context.scale(2, 2);
  context.drawImage(image, 0, 0, width, height);
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}

function download(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
