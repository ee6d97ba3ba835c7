"use strict";
(() => {
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const settings = { displayModeBar: false, responsive: true, doubleClick: false, showTips: false };

  // Replace colours that are names of custom properties with their present values, light or dark.
  function resolved(value, key, style) {
    if (Array.isArray(value)) return value.map((entry) => resolved(entry, key, style));
    if (value !== null && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, resolved(entry, name, style)]));
    }
    const is_colour = typeof value === "string" && /color(scale)?$/.test(key) && value.startsWith("--");
    return is_colour ? style.getPropertyValue(value).trim() : value;
  }

  // Draw the figures that are visible; those in folded parts and of other classes are drawn when they are shown.
  function draw(again) {
    const style = getComputedStyle(document.documentElement);
    for (const [id, figure] of Object.entries(figures)) {
      const place = document.getElementById(id);
      if (place.clientWidth === 0 || (!again && place.classList.contains("js-plotly-plot"))) continue;
      Plotly.react(place, resolved(figure.data, "", style), resolved(figure.layout, "", style), settings);
      Plotly.Plots.resize(place);
    }
  }

  const choose = document.getElementById("class");
  if (choose !== null) {
    const show = () => {
      document.querySelectorAll(".choice").forEach((part) => { part.hidden = part.id !== `choice-${choose.value}`; });
      draw(true);
    };
    choose.parentElement.hidden = false;
    choose.addEventListener("change", show);
    show();
  }
  document.querySelectorAll("details").forEach((part) => part.addEventListener("toggle", () => draw(true)));
  for (const change of ["(prefers-color-scheme: dark)", "print"]) {
    window.matchMedia(change).addEventListener("change", () => draw(true));
  }
  draw(false);
})();
