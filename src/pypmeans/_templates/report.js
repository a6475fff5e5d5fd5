"use strict";
(() => {
  const report = JSON.parse(document.getElementById("data").textContent);
  const { stops, map, model, path, objective, colors } = report;
  const SHAPES = ["circle", "square", "diamond", "triangle-up", "triangle-down", "cross"];
  const OUTLINES = [
    "M7 2a5 5 0 1 0 .01 0z", "M2.5 2.5h9v9h-9z", "M7 1l6 6-6 6-6-6z", "M7 1.5l6 10.5H1z",
    "M7 12.5L1 2h12z", "M5 1h4v4h4v4H9v4H5V9H1V5h4z",
  ];
  // Beyond this, shapes drawn one by one are slow, and WebGL, where there is any, takes over.
  const MANY = 2500;
  const PRINTED_WIDTH = 660;
  const at = (id) => document.getElementById(id);
  const slider = at("scale");
  const config = { displaylogo: false, responsive: true, modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d"] };
  let now = report.chosen;
  let alone = null; // the cluster shown alone, if any

  // Plotly reads some tags and entities in text. This is text from data: it means what it says.
  const plain = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const short = (text, most = 60) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
  const number = (value, digits = 4) =>
    value === null ? "–" : value.toLocaleString("en", Number.isInteger(value) ? {} : { maximumSignificantDigits: digits });
  const count = (n, word) => `${number(n)} ${word}${n === 1 ? "" : "s"}`;
  const signed = (z) => (z < 0 ? "−" : "+") + Math.abs(z).toFixed(1);
  const shapeOf = (look) => Math.floor(look / colors.length) % SHAPES.length;
  const colorOf = (look) => colors[look % colors.length];

  function element(name, content, attributes = {}) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    for (const part of Array.isArray(content) ? content : [content]) if (part !== undefined) node.append(part);
    return node;
  }

  function mark(look) {
    const space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    svg.setAttribute("viewBox", "0 0 14 14");
    svg.setAttribute("class", "mark");
    svg.setAttribute("aria-hidden", "true");
    const outline = document.createElementNS(space, "path");
    outline.setAttribute("d", OUTLINES[shapeOf(look)]);
    outline.setAttribute("fill", colorOf(look));
    svg.append(outline);
    return svg;
  }

  // Pictures

  function theme() {
    const style = getComputedStyle(document.documentElement);
    const get = (name) => style.getPropertyValue("--" + name).trim();
    return { ink: get("ink"), soft: get("soft"), paper: get("paper"), grid: get("grid"), rule: get("rule"), blue: get("blue"), orange: get("orange") };
  }

  function axis(t, title, more = {}) {
    return { title: { text: plain(short(title)), standoff: 8 }, gridcolor: t.grid, zerolinecolor: t.grid, linecolor: t.rule, automargin: true, ...more };
  }

  // 1, 2, 5 and powers of ten as they are: decades alone say little on short axes.
  function logAxis(t, title, values, more = {}) {
    const positive = values.filter((v) => v > 0);
    const low = Math.min(...positive), high = Math.max(...positive);
    const wide = high / low > 1e3;
    return axis(t, title, { type: "log", dtick: wide ? 1 : "D2", nticks: 8, exponentformat: "power", minexponent: 5, ...more });
  }

  function layout(t, more) {
    return {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", margin: { l: 50, r: 12, t: 12, b: 44 },
      font: { color: t.ink, size: 12, family: "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif" },
      hoverlabel: { bgcolor: t.paper, bordercolor: t.rule, font: { color: t.ink }, align: "left" },
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 }, hovermode: "closest", dragmode: "zoom",
      ...more,
    };
  }

  const hasWebGL = (() => {
    try {
      return Boolean(document.createElement("canvas").getContext("webgl"));
    } catch {
      return false;
    }
  })();

  function draw(id, traces, more) {
    const node = at(id);
    if (!node) return;
    const printing = document.documentElement.dataset.theme === "light";
    const size = printing ? { width: PRINTED_WIDTH, height: 340, autosize: false } : { autosize: true };
    Plotly.react(node, traces, { ...layout(theme(), more), ...size }, config);
  }

  function drawMap(stop) {
    const t = theme();
    const looks = stop.labels.map((k) => stop.looks[k]);
    const faded = (i) => alone !== null && stop.labels[i] !== alone;
    const many = map.x.length > MANY;
    const noun = map.rows_have_ids ? "" : "row ";
    draw("map", [{
      type: many && hasWebGL ? "scattergl" : "scatter", mode: "markers", x: map.x, y: map.y,
      marker: {
        color: looks.map((look, i) => (faded(i) ? t.grid : colorOf(look))),
        symbol: looks.map((look) => SHAPES[shapeOf(look)]),
        size: looks.map((look) => (many ? 5 : 7) + (shapeOf(look) ? 2 : 0)),
        opacity: many ? 0.8 : 0.9, line: { width: many ? 0 : 0.5, color: t.paper },
      },
      text: map.ids.map((id, i) => `${noun}${plain(short(String(id)))}<br>cluster ${stop.labels[i]} of ${count(stop.sizes[stop.labels[i]], "row")}`),
      hoverinfo: "text",
    }], {
      xaxis: axis(t, map.names[0], { zeroline: false }),
      yaxis: axis(t, map.names[1], { zeroline: false, showticklabels: map.by !== "spread" }),
    });
  }

  function drawSizes(stop) {
    const t = theme();
    const { sizes, tail } = stop;
    const traces = [{
      type: "scatter", mode: "markers", name: "clusters", x: sizes.map((_, i) => i + 1), y: sizes,
      marker: {
        size: 8, color: stop.looks.map((look, k) => (alone !== null && alone !== k ? t.grid : colorOf(look))),
        symbol: stop.looks.map((look) => SHAPES[shapeOf(look)]),
      },
      text: sizes.map((size, k) => `cluster ${k}: ${count(size, "row")}`), hoverinfo: "text", showlegend: false,
    }];
    if (tail.fitted.length) {
      traces.push({ type: "scatter", mode: "lines", name: `power law, α = ${tail.alpha.toFixed(2)}`, x: [1, sizes.length], y: tail.fitted, line: { color: t.orange }, hoverinfo: "skip", showlegend: true });
    }
    draw("sizes", traces, { xaxis: logAxis(t, "rank", [1, sizes.length]), yaxis: logAxis(t, "rows", sizes) });
    const half = tail.half === 1 ? "The largest cluster holds" : `The ${number(tail.half)} largest hold`;
    const single = tail.single ? ` ${count(tail.single, "cluster")} ${tail.single === 1 ? "is" : "are"} a single row.` : "";
    const law = tail.alpha === null
      ? " Too few different sizes to fit a tail."
      : ` The line is the power law that fits all sizes, exponent ${tail.alpha.toFixed(2)}: points along it have a heavy tail.`;
    at("sizes-caption").textContent = `${half} half of the rows.${single}${law}`;
  }

  function drawThreshold(stop) {
    const t = theme();
    const { kind, count: c, gain, price, crossing } = stop.threshold;
    const names = {
      paper: ["squared distance of the furthest row", "clusters so far, c", "squared distance"],
      search: ["what one more cluster saves", "clusters so far, c", "objective"],
      spectrum: ["eigenvalue", "c", "eigenvalue"],
    }[kind];
    const traces = [
      { type: "scatter", mode: "lines+markers", name: names[0], x: c, y: gain, marker: { size: 5 }, line: { color: t.blue } },
      { type: "scatter", mode: "lines", name: "price λ − θ ln c", x: c, y: price, line: { color: t.orange, width: 2.5 } },
    ];
    const linear = kind === "spectrum";
    draw("threshold", traces, {
      xaxis: linear ? axis(t, names[1]) : logAxis(t, names[1], c),
      yaxis: linear ? axis(t, names[2]) : logAxis(t, names[2], [...gain, ...price].filter((v) => v !== null)),
      shapes: kind === "search" || crossing === null ? [] : [{ type: "line", x0: crossing, x1: crossing, y0: 0, y1: 1, yref: "paper", line: { color: t.soft, dash: "dot", width: 1 } }],
    });
    const last = gain.length - 1;
    at("threshold-caption").textContent = {
      paper: `The furthest row founds a cluster while its squared distance is above the price λ − θ ln c. The first pass stops at ${number(crossing)} clusters; later passes move and merge them.`,
      search: gain[last] === null
        ? "There is one cluster, and no split of it was found that saves its price."
        : `Merging the clusters one by one, the cheapest first, shows what each had saved. The least useful one saves ${number(gain[last])}; its price is λ − θ ln c = ${number(price[last])}. No split was found that saves its price.`,
      spectrum: "There are as many clusters as eigenvalues above the line λ − θ ln c.",
    }[kind];
  }

  function drawPath(stop) {
    if (!path) return;
    const t = theme();
    const near = stop.scales[0] * 0.5 + stop.scales[1] * 0.5;
    const common = { type: "scatter", mode: "lines+markers", x: path.scale, marker: { size: 5 }, hoverinfo: "text", showlegend: false };
    draw("path", [
      { ...common, y: path.n_clusters, line: { color: t.blue, shape: "hvh" }, text: path.n_clusters.map((n, i) => `${count(n, "cluster")} at scale ${number(path.scale[i])}`) },
      { ...common, y: path.score, yaxis: "y2", line: { color: t.orange }, text: path.score.map((s, i) => `score ${number(s, 6)}, ${count(path.n_clusters[i], "cluster")}`) },
    ], {
      xaxis: logAxis(t, "scale: standard deviation within clusters", path.scale, { autorange: "reversed", anchor: "y2" }),
      yaxis: logAxis(t, "clusters", path.n_clusters, { domain: [0.55, 1] }), yaxis2: axis(t, "score", { domain: [0, 0.45] }),
      shapes: [{ type: "line", x0: near, x1: near, y0: 0, y1: 1, yref: "paper", line: { color: t.ink, width: 1.5, dash: "dot" } }],
    });
  }

  function drawObjective() {
    if (!objective.length) return;
    const t = theme();
    draw("objective", [{ type: "scatter", mode: "lines+markers", x: objective.map((_, i) => i + 1), y: objective, line: { color: t.blue }, name: "objective" }], {
      xaxis: axis(t, "pass over the rows", { tickformat: "d", dtick: Math.max(1, Math.ceil(objective.length / 8)) }), yaxis: axis(t, "objective"), showlegend: false,
    });
  }

  // Tables

  function clusterRow(cluster, stop) {
    const choose = element("button", String(cluster.k), { type: "button", "aria-pressed": String(alone === cluster.k), "aria-label": `cluster ${cluster.k}, show alone` });
    choose.addEventListener("click", () => showAlone(cluster.k));
    const bar = element("span", undefined, { class: "bar", style: `width: ${Math.max(1, 64 * cluster.size / stop.sizes[0])}px` });
    const contrasts = cluster.contrasts.flatMap((c, i) => [
      i ? ", " : "", element("span", `${short(c.feature, 40)} ${signed(c.z)}`, { title: `${c.feature}: mean ${number(c.value)}` }),
    ]);
    return element("tr", [
      element("th", [mark(stop.looks[cluster.k]), choose], { scope: "row" }),
      element("td", number(cluster.size), { class: "n" }),
      element("td", [`${(100 * cluster.share).toFixed(1)} %`, element("span", bar, { class: "barbox", "aria-hidden": "true" })], { class: "n" }),
      element("td", cluster.spread.toFixed(2), { class: "n" }),
      element("td", contrasts.length ? contrasts : "–"),
      element("td", short(cluster.typical)), element("td", short(cluster.remote)),
    ]);
  }

  // A row that says how many are left out, where the largest end and the smallest begin.
  function withGap(keys, columns, rowOf) {
    return keys.flatMap((k, i) => {
      const skipped = i ? k - keys[i - 1] - 1 : 0;
      const gap = element("tr", element("td", `… ${count(skipped, "cluster")} between these two …`, { colspan: columns }), { class: "gap" });
      return skipped ? [gap, rowOf(i)] : [rowOf(i)];
    });
  }

  function fillClusters(stop) {
    const all = stop.clusters.length === stop.n_clusters;
    at("clusters-caption").textContent = all
      ? `All ${count(stop.n_clusters, "cluster")}, by size`.replace("All 1 cluster", "One cluster")
      : `${number(stop.clusters.length)} of ${count(stop.n_clusters, "cluster")}, by size: the largest and the smallest`;
    at("cluster-rows").replaceChildren(...withGap(stop.clusters.map((c) => c.k), 7, (i) => clusterRow(stop.clusters[i], stop)));
  }

  function fillProfile(stop) {
    const { clusters, features, z, n_features } = stop.profile;
    const some = features.length < n_features ? ` The ${features.length} of ${n_features} features in which clusters differ most.` : "";
    at("profile-text").textContent = `How far the mean of each cluster is from the mean of all rows, in standard deviations of all rows: orange above, blue below.${some}`;
    at("profile-caption").textContent = clusters.length < stop.n_clusters ? `${clusters.length} of ${number(stop.n_clusters)} clusters` : `All ${count(stop.n_clusters, "cluster")}`;
    at("profile-head").replaceChildren(element("tr", [element("th", "cluster", { scope: "col" }), ...features.map((name) => element("th", short(name, 40), { scope: "col", class: "n", title: name }))]));
    const cell = (value) => element("td", signed(value), { style: `background: rgba(var(--${value < 0 ? "low" : "high"}), ${Math.min(0.55, Math.abs(value) * 0.18)})` });
    at("profile-rows").replaceChildren(...withGap(clusters, features.length + 1, (i) =>
      element("tr", [element("th", [mark(stop.looks[clusters[i]]), ` ${clusters[i]}`], { scope: "row" }), ...z[i].map(cell)])));
  }

  // State

  function describeState(stop) {
    const where = stop.scales.length
      ? `scale ${number(stop.scales[0], 3)}${stop.scales[0] === stop.scales[1] ? "" : " to " + number(stop.scales[1], 3)}, λ = ${number(stop.lam, 3)}`
      : `λ = ${number(stop.lam, 3)}`;
    return `${count(stop.n_clusters, "cluster")}${stop.chosen ? ": the automatic choice" : ""} (${where})`;
  }

  function fillFacts(stop) {
    const facts = { clusters: stop.n_clusters, largest: stop.sizes[0], smallest: stop.sizes.at(-1), half: stop.tail.half, lam: stop.lam, theta: stop.theta };
    for (const [name, value] of Object.entries(facts)) at("fact-" + name).textContent = number(value);
  }

  function showAlone(k) {
    alone = alone === k ? null : k;
    const stop = stops[now];
    for (const button of at("cluster-rows").querySelectorAll("button")) button.setAttribute("aria-pressed", String(alone !== null && button.textContent === String(alone)));
    drawMap(stop);
    drawSizes(stop);
  }

  function drawAll() {
    const stop = stops[now];
    drawMap(stop);
    drawSizes(stop);
    drawThreshold(stop);
    drawPath(stop);
  }

  function show(index) {
    now = Math.min(Math.max(index, 0), stops.length - 1);
    alone = null;
    const stop = stops[now];
    if (slider) {
      slider.value = now;
      slider.setAttribute("aria-valuetext", describeState(stop));
      at("state").textContent = describeState(stop);
      at("reset").disabled = now === report.chosen;
      at("coarser").disabled = now === 0;
      at("finer").disabled = now === stops.length - 1;
    }
    fillFacts(stop);
    fillClusters(stop);
    fillProfile(stop);
    drawAll();
  }

  if (slider) {
    slider.addEventListener("input", () => show(Number(slider.value)));
    at("coarser").addEventListener("click", () => show(now - 1));
    at("finer").addEventListener("click", () => show(now + 1));
    at("reset").addEventListener("click", () => show(report.chosen));
  }
  show(now);
  drawObjective();

  // Pictures follow the light of the page, and paper is always light.
  const redraw = () => { drawAll(); drawObjective(); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  addEventListener("beforeprint", () => { document.documentElement.dataset.theme = "light"; redraw(); });
  addEventListener("afterprint", () => { delete document.documentElement.dataset.theme; redraw(); });
  document.documentElement.dataset.ready = "yes";
})();
