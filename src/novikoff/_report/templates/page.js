"use strict";
(() => {
  const figures = JSON.parse(document.getElementById("figures").textContent);

  // Where a colour is the name of a property of the page, put what it is now, in light or in dark.
  function painted(value, key, look) {
    if (Array.isArray(value)) return value.map((entry) => painted(entry, key, look));
    if (value !== null && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, painted(entry, name, look)]));
    }
    const is_colour = typeof value === "string" && key.endsWith("color") && value.startsWith("--");
    return is_colour ? look.getPropertyValue(value).trim() : value;
  }

  function draw() {
    const look = getComputedStyle(document.documentElement);
    const settings = { displayModeBar: false, responsive: true, doubleClick: false, showTips: false };
    for (const [id, figure] of Object.entries(figures)) {
      const place = document.getElementById(id);
      Plotly.react(place, painted(figure.data, "", look), painted(figure.layout, "", look), settings);
    }
  }

  draw();
  for (const change of ["(prefers-color-scheme: dark)", "print"]) {
    window.matchMedia(change).addEventListener("change", draw);
  }
})();
