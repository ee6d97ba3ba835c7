"use strict";
(() => {
  const figures = JSON.parse(document.getElementById("figures").textContent);

  // Replace colours that are names of custom properties with their present values, light or dark.
  function resolved(value, key, style) {
    if (Array.isArray(value)) return value.map((entry) => resolved(entry, key, style));
    if (value !== null && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, resolved(entry, name, style)]));
    }
    const is_colour = typeof value === "string" && key.endsWith("color") && value.startsWith("--");
    return is_colour ? style.getPropertyValue(value).trim() : value;
  }

  function draw() {
    const style = getComputedStyle(document.documentElement);
    const settings = { displayModeBar: false, responsive: true, doubleClick: false, showTips: false };
    for (const [id, figure] of Object.entries(figures)) {
      const place = document.getElementById(id);
      Plotly.react(place, resolved(figure.data, "", style), resolved(figure.layout, "", style), settings);
    }
  }

  draw();
  for (const change of ["(prefers-color-scheme: dark)", "print"]) {
    window.matchMedia(change).addEventListener("change", draw);
  }
})();
