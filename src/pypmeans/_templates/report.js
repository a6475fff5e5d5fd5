"use strict";
(() => {
  const report = JSON.parse(document.getElementById("data").textContent);
  const { stops, map, model, path, objective, colors } = report;
  const PRINTED_WIDTH = 660;
  const at = (id) => document.getElementById(id);
  const slider = at("scale");
  const config = { displaylogo: false, responsive: true, modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d", "toImage"] };
  let now = report.chosen;
  let alone = null; // the cluster shown alone, if any

  // Plotly reads some tags and entities in text. This is text from data: it means what it says.
  const plain = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const short = (text, most = 60) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
  const number = (value, digits = 4) =>
    value === null ? "–" : value.toLocaleString("en", Number.isInteger(value) ? {} : { maximumSignificantDigits: digits });
  const count = (n, word) => `${number(n)} ${word}${n === 1 ? "" : "s"}`;
  const signed = (z) => (Math.abs(z) < 0.05 ? "" : z < 0 ? "−" : "+") + Math.abs(z).toFixed(1);
  const shapeOf = (look) => Looks.shape(look, colors);
  const colorOf = (look) => Looks.color(look, colors);
  const pointMap = new PointMap(at("map"), at("points"), at("tip"), map, colors);

  function element(name, content, attributes = {}) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    for (const part of Array.isArray(content) ? content : [content]) if (part !== undefined) node.append(part);
    return node;
  }

  function mark(look) {
    const space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    const commands = [];
    const pen = {
      moveTo: (x, y) => commands.push(`M${x} ${y}`), lineTo: (x, y) => commands.push(`L${x} ${y}`), closePath: () => commands.push("Z"),
      arc: (x, y, r) => commands.push(`a${r} ${r} 0 1 0 ${-2 * r} 0a${r} ${r} 0 1 0 ${2 * r} 0`),
    };
    Looks.trace(pen, shapeOf(look), 0, 0, 5);
    const outline = document.createElementNS(space, "path");
    outline.setAttribute("d", commands.join(""));
    outline.setAttribute("fill", colorOf(look));
    for (const [key, value] of [["viewBox", "-7 -7 14 14"], ["class", "mark"], ["aria-hidden", "true"]]) svg.setAttribute(key, value);
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

  // 1, 2, 5, 10 as they are: powers of ten alone say little on short axes.
  function roundNumbers(low, high, most = 7) {
    for (const digits of [[1, 2, 5], [1, 3], [1]]) {
      const found = [];
      for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high) + 1; power++) {
        for (const digit of digits) found.push(Number((digit * 10 ** power).toPrecision(1)));
      }
      const inside = found.filter((v) => v >= low * 0.99 && v <= high * 1.01);
      if (inside.length <= most) return inside;
      if (digits.length === 1) return inside.filter((_, i) => i % Math.ceil(inside.length / most) === 0);
    }
  }

  function logAxis(t, title, values, more = {}) {
    const positive = values.filter((v) => v > 0);
    const ends = [Math.min(...positive), Math.max(...positive)];
    const round = positive.length ? roundNumbers(...ends) : [];
    const ticks = round.length > 1 ? round : [...new Set(positive.length ? ends : [])];
    const text = ticks.map((v) => (v >= 1e5 || v < 1e-3 ? v.toExponential(0).replace("e+", "e") : number(v)));
    return axis(t, title, { type: "log", tickvals: ticks, ticktext: text, ...more });
  }

  function layout(t, more) {
    return {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", margin: { l: 50, r: 12, t: 12, b: 44 },
      font: { color: t.ink, size: 12, family: "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif" },
      hoverlabel: { bgcolor: t.paper, bordercolor: t.rule, font: { color: t.ink }, align: "left" },
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 }, hovermode: "closest",
      ...more,
    };
  }

  function draw(id, traces, more) {
    const node = at(id);
    if (!node) return;
    const printing = document.documentElement.dataset.theme === "light";
    const size = printing ? { width: PRINTED_WIDTH, height: 340, autosize: false } : { autosize: true };
    Plotly.react(node, traces, { ...layout(theme(), more), ...size }, config);
  }

  function drawAxes() {
    const t = theme();
    draw("map", [pointMap.trace()], {
      xaxis: axis(t, map.names[0], { zeroline: false }),
      yaxis: axis(t, map.names[1], { zeroline: false, showticklabels: map.by !== "spread" }),
      uirevision: "keep the zoom",
    });
  }

  const drawMap = (stop) => pointMap.show(stop, alone, theme());

  // So many ranks, dense at the top: on a logarithmic axis more would cover each other.
  function ranks(n, most = 300) {
    if (n <= most) return Array.from({ length: n }, (_, i) => i);
    return [...new Set(Array.from({ length: most }, (_, i) => Math.round(n ** (i / (most - 1))) - 1))];
  }

  function drawSizes(stop) {
    const t = theme();
    const { sizes, tail } = stop;
    const drawn = ranks(sizes.length);
    const traces = [{
      type: "scatter", mode: "markers", name: "clusters", x: drawn.map((k) => k + 1), y: drawn.map((k) => sizes[k]),
      marker: {
        size: 8, color: drawn.map((k) => (alone !== null && alone !== k ? t.rule : colorOf(stop.looks[k]))),
        symbol: drawn.map((k) => Looks.shapes[shapeOf(stop.looks[k])]),
      },
      text: drawn.map((k) => `cluster ${stop.numbers[k]}: ${count(sizes[k], "row")}`), hoverinfo: "text", showlegend: false,
    }];
    if (tail.fitted.length) {
      traces.push({ type: "scatter", mode: "lines", name: `power law, α = ${tail.alpha.toFixed(2)}`, x: [1, tail.n_tail], y: tail.fitted, line: { color: t.orange }, hoverinfo: "skip", showlegend: true });
    }
    draw("sizes", traces, { xaxis: logAxis(t, "rank", [1, sizes.length]), yaxis: logAxis(t, "rows", sizes) });
    const half = tail.half === 1 ? "The largest cluster holds" : `The ${number(tail.half)} largest hold`;
    const single = tail.single ? ` ${count(tail.single, "cluster")} ${tail.single === 1 ? "is" : "are"} a single row.` : "";
    const law = tail.alpha === null
      ? " Too few different sizes to fit a tail."
      : ` The line is the power law that fits the ${count(tail.n_tail, "cluster")} of ${number(tail.x_min)} rows or more, exponent ${tail.alpha.toFixed(2)}.`;
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
    const choose = element("button", String(stop.numbers[cluster.k]), {
      type: "button", "data-cluster": cluster.k, "aria-pressed": String(alone === cluster.k), "aria-label": `cluster ${stop.numbers[cluster.k]}, show alone`,
    });
    choose.addEventListener("click", () => showAlone(cluster.k));
    const bar = element("span", undefined, { class: "bar", style: `width: ${Math.max(1, 64 * cluster.size / stop.sizes[0])}px` });
    const contrasts = cluster.contrasts.flatMap((c, i) => [
      i ? ", " : "", element("span", `${short(c.feature, 40)} ${signed(c.z)}`, { title: `${c.feature}: mean ${number(c.value)}` }),
    ]);
    return element("tr", [
      element("th", [mark(stop.looks[cluster.k]), choose], { scope: "row" }),
      element("td", number(cluster.size), { class: "n" }),
      element("td", [element("span", bar, { class: "barbox", "aria-hidden": "true" }), element("span", `${(100 * cluster.share).toFixed(1)} %`, { class: "share" })], { class: "n" }),
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
      ? stop.n_clusters === 1 ? "One cluster" : `All ${number(stop.n_clusters)} clusters, by size`
      : `${number(stop.clusters.length)} of ${count(stop.n_clusters, "cluster")}, by size: the largest and the smallest`;
    at("cluster-rows").replaceChildren(...withGap(stop.clusters.map((c) => c.k), 7, (i) => clusterRow(stop.clusters[i], stop)));
  }

  // Long names may be broken after the signs that join their words.
  const breakable = (name) => name.split(/(?<=[_\-/. ])/).flatMap((part, i) => (i ? [document.createElement("wbr"), part] : [part]));

  function fillProfile(stop) {
    const { clusters, features, z, n_features } = stop.profile;
    const some = features.length < n_features ? ` The ${features.length} of ${n_features} features in which clusters differ most.` : "";
    at("profile-text").textContent = `How far the mean of each cluster is from the mean of all rows, in standard deviations of all rows: orange above, blue below.${some}`;
    at("profile-caption").textContent = clusters.length < stop.n_clusters ? `${clusters.length} of ${number(stop.n_clusters)} clusters` : stop.n_clusters === 1 ? "One cluster" : `All ${number(stop.n_clusters)} clusters`;
    at("profile-head").replaceChildren(element("tr", [element("th", "cluster", { scope: "col" }), ...features.map((name) => element("th", breakable(short(name, 40)), { scope: "col", class: "n", title: name }))]));
    const cell = (value) => element("td", signed(value), { style: `background: rgba(var(--${value < 0 ? "low" : "high"}), ${Math.min(0.55, Math.abs(value) * 0.18)})` });
    at("profile-rows").replaceChildren(...withGap(clusters, features.length + 1, (i) =>
      element("tr", [element("th", [mark(stop.looks[clusters[i]]), ` ${stop.numbers[clusters[i]]}`], { scope: "row" }), ...z[i].map(cell)])));
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
    for (const [name, value] of Object.entries(facts)) at("fact-" + name).textContent = number(value, 3);
  }

  function showAlone(k) {
    alone = alone === k ? null : k;
    const stop = stops[now];
    for (const button of at("cluster-rows").querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.dataset.cluster === String(alone)));
    drawMap(stop);
    drawSizes(stop);
  }

  function drawCurves() {
    drawSizes(stops[now]);
    drawThreshold(stops[now]);
    drawPath(stops[now]);
    document.documentElement.dataset.drawn = now; // for whoever waits until all is drawn
  }

  // While a key is held down, only the last of several stops is worth its curves.
  let waiting = 0;
  function drawCurvesSoon() {
    clearTimeout(waiting);
    waiting = setTimeout(drawCurves, 30);
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
    drawMap(stop);
    drawCurvesSoon();
  }

  if (slider) {
    slider.addEventListener("input", () => show(Number(slider.value)));
    at("coarser").addEventListener("click", () => show(now - 1));
    at("finer").addEventListener("click", () => show(now + 1));
    at("reset").addEventListener("click", () => show(report.chosen));
  }
  drawAxes();
  pointMap.watch();
  show(now);
  setTimeout(drawObjective, 0);

  // Pictures follow the light of the page, and paper is always light.
  const redraw = () => { drawAxes(); drawMap(stops[now]); drawCurves(); drawObjective(); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  addEventListener("beforeprint", () => { document.documentElement.dataset.theme = "light"; redraw(); });
  addEventListener("afterprint", () => { delete document.documentElement.dataset.theme; redraw(); });
})();
