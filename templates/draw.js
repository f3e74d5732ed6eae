(function (darkPartners, titled) {
  "use strict";
  const NARROW = 620;
  const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";
  const LIGHT = { text: "#1c2126", faint: "#e3e6ea", line: "#9aa2aa", label: "#ffffff", border: "#9aa2aa" };
  const DARK = { text: "#e3e8ed", faint: "#2a323a", line: "#67717b", label: "#1d242b", border: "#67717b" };
  const media = window.matchMedia("(prefers-color-scheme: dark)");
  const charts = [];

  // A notebook has a theme of its own, whatever the system prefers.
  function isDark() {
    const body = document.body;
    if (body.dataset.jpThemeLight) return body.dataset.jpThemeLight === "false";
    if (body.classList.contains("vscode-dark")) return true;
    if (body.classList.contains("vscode-light")) return false;
    return media.matches;
  }

  // A copy of the figure; colours (and only what stands under a key that names one) are swapped for their partners.
  function copy(value, dark, colour) {
    if (Array.isArray(value)) return value.map((item) => copy(item, dark, colour));
    if (value && typeof value === "object") {
      const out = {};
      for (const key of Object.keys(value)) out[key] = copy(value[key], dark, colour || /color/.test(key));
      return out;
    }
    return dark && colour && Object.hasOwn(darkPartners, value) ? darkPartners[value] : value;
  }

  function template(dark) {
    const ink = dark ? DARK : LIGHT;
    const axis = {
      automargin: true,
      gridcolor: ink.faint,
      zerolinecolor: ink.line,
      ticks: "outside",
      ticklen: 5,
      tickcolor: "rgba(0,0,0,0)",
      title: { font: { size: 13 } },
    };
    return {
      layout: {
        paper_bgcolor: "rgba(0,0,0,0)",
        plot_bgcolor: "rgba(0,0,0,0)",
        font: { family: FONT, size: 13, color: ink.text },
        xaxis: axis,
        yaxis: axis,
        hoverlabel: { bgcolor: ink.label, bordercolor: ink.border, font: { family: FONT, size: 12.5, color: ink.text } },
        modebar: { bgcolor: "rgba(0,0,0,0)", color: ink.line, activecolor: ink.text },
      },
    };
  }

  function figure(spec, width, dark, withTitle) {
    const fig = copy({ data: spec.data, layout: spec.layout }, dark, false);
    const layout = fig.layout;
    layout.template = template(dark);
    layout.width = width;
    layout.height = layout.height || 450;
    layout.margin = layout.margin || {};
    if (!withTitle) {
      const top = layout.margin.t === undefined ? 100 : layout.margin.t;
      layout.height -= top - 28;
      layout.margin.t = 28;
      delete layout.title;
    }
    if (width < NARROW && layout.showlegend !== false) {
      const entries = new Set(fig.data.filter((t) => t.name && t.showlegend !== false).map((t) => t.legendgroup || t.name));
      layout.legend = Object.assign({}, layout.legend, { orientation: "h", x: 0, xanchor: "left", y: 1, yanchor: "bottom" });
      layout.height += 14 + 24 * Math.ceil(entries.size / 2);
    }
    if (width < NARROW) {
      layout.margin.l = 8;
      layout.margin.r = 8;
      layout.font = Object.assign({ size: 12 }, layout.font);
    }
    return fig;
  }

  // The title stands above the drawing in the page, and inside it in a file.
  function saveButton(spec, format, icon) {
    return {
      name: "save-" + format,
      title: "Save as " + format.toUpperCase(),
      icon: icon,
      click: function () {
        const fig = figure(spec, 1000, false, true);
        fig.layout.paper_bgcolor = "#ffffff";
        const options = { format: format, width: 1000, height: fig.layout.height, scale: 2, filename: "roborm-chart" };
        window.Plotly.downloadImage(fig, options);
      },
    };
  }

  function draw(chart, width, dark) {
    if (width < 1) return;
    chart.width = width;
    const icons = window.Plotly.Icons;
    const fig = figure(chart.spec, width, dark, titled);
    // There the legend stands above the drawing, where the buttons are: these get a line of their own.
    chart.place.classList.toggle("roborm-narrow", width < NARROW && fig.layout.showlegend !== false);
    const config = Object.assign({}, chart.spec.config, {
      responsive: false,
      displaylogo: false,
      modeBarButtons: [[saveButton(chart.spec, "png", icons.camera), saveButton(chart.spec, "svg", icons.disk)]],
    });
    try {
      window.Plotly.react(chart.place, fig.data, fig.layout, config);
      chart.place.dataset.drawn = "yes";
    } catch (error) {
      chart.place.textContent = "This chart could not be drawn (" + error + ").";
    }
  }

  function drawAll(width, dark) {
    for (const chart of charts) draw(chart, width || chart.place.clientWidth, dark);
  }

  for (const place of document.querySelectorAll(".roborm-plot:not([data-chart])")) {
    place.dataset.chart = "yes";
    const source = place.parentElement.querySelector('script[type="application/json"]');
    charts.push({ place: place, spec: JSON.parse(source.textContent), width: 0 });
  }
  if (!window.Plotly) return;
  drawAll(0, isDark());

  const watch = new ResizeObserver(function (entries) {
    for (const entry of entries) {
      const chart = charts.find((c) => c.place === entry.target);
      const width = entry.target.clientWidth;
      if (chart && Math.abs(width - chart.width) >= 1) draw(chart, width, isDark());
    }
  });
  for (const chart of charts) watch.observe(chart.place);

  const repaint = () => drawAll(0, isDark());
  media.addEventListener("change", repaint);
  if (titled) {
    new MutationObserver(repaint).observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
  } else {
    const opened = [];
    window.addEventListener("beforeprint", function () {
      for (const details of document.querySelectorAll("details:not([open])")) {
        details.open = true;
        opened.push(details);
      }
      drawAll(660, false);
    });
    window.addEventListener("afterprint", function () {
      for (const details of opened.splice(0)) details.open = false;
      repaint();
    });
  }
})
