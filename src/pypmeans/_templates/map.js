"use strict";
// The map of points: axes and zooming by plotly, points on a canvas. Ten thousand of them are drawn
// in a few milliseconds there, which as elements of the page would take seconds.
const Looks = {
  shapes: ["circle", "square", "diamond", "triangle-up", "triangle-down", "cross"],
  // The same shapes in a box from -1 to 1, as corners to go through; the first is a disc.
  corners: [
    null, [-0.9, -0.9, 0.9, -0.9, 0.9, 0.9, -0.9, 0.9], [0, -1.25, 1.25, 0, 0, 1.25, -1.25, 0],
    [0, -1.2, 1.15, 0.9, -1.15, 0.9], [0, 1.2, 1.15, -0.9, -1.15, -0.9],
    [-0.4, -1.2, 0.4, -1.2, 0.4, -0.4, 1.2, -0.4, 1.2, 0.4, 0.4, 0.4, 0.4, 1.2, -0.4, 1.2, -0.4, 0.4, -1.2, 0.4, -1.2, -0.4, -0.4, -0.4],
  ],
  shape: (look, colors) => Math.floor(look / colors.length) % 6,
  color: (look, colors) => colors[look % colors.length],
  trace(path, shape, x, y, r) {
    const corners = Looks.corners[shape];
    if (!corners) {
      path.moveTo(x + r, y);
      path.arc(x, y, r, 0, 2 * Math.PI);
      return;
    }
    path.moveTo(x + r * corners[0], y + r * corners[1]);
    for (let i = 2; i < corners.length; i += 2) path.lineTo(x + r * corners[i], y + r * corners[i + 1]);
    path.closePath();
  },
};

class PointMap {
  constructor(node, canvas, tip, points, colors) {
    Object.assign(this, { node, canvas, tip, points, colors });
    this.many = points.x.length > 3000;
    this.radius = this.many ? 2.6 : 3.6;
    canvas.parentElement.addEventListener("pointermove", (event) => this.point(event));
    canvas.parentElement.addEventListener("pointerleave", () => (tip.hidden = true));
  }

  // What the axes must reach; the trace itself is not seen.
  trace() {
    const ends = (values) => values.reduce(([low, high], v) => [Math.min(low, v), Math.max(high, v)], [Infinity, -Infinity]);
    return { type: "scatter", mode: "markers", x: ends(this.points.x), y: ends(this.points.y), marker: { opacity: 0, size: 12 }, hoverinfo: "skip" };
  }

  show(stop, alone, theme) {
    Object.assign(this, { stop, alone, theme });
    this.members = stop.sizes.map(() => []);
    stop.labels.forEach((k, i) => this.members[k].push(i));
    this.paint();
  }

  watch() {
    for (const event of ["plotly_afterplot", "plotly_relayouting"]) this.node.on(event, () => this.paint());
  }

  // From data to pixels of the canvas, as the axes are now.
  place() {
    const { xaxis, yaxis } = this.node._fullLayout;
    const [x0, x1] = xaxis.range, [y0, y1] = yaxis.range;
    const x = this.points.x.map((v) => xaxis._offset + (xaxis._length * (v - x0)) / (x1 - x0));
    const y = this.points.y.map((v) => yaxis._offset + (yaxis._length * (y1 - v)) / (y1 - y0));
    return { x, y, box: [xaxis._offset, yaxis._offset, xaxis._length, yaxis._length] };
  }

  paint() {
    if (!this.stop || !this.node._fullLayout) return;
    const { canvas, stop, alone } = this;
    const { width, height } = this.node._fullLayout;
    const ratio = Math.max(2, window.devicePixelRatio || 1);
    Object.assign(canvas, { width: width * ratio, height: height * ratio });
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    this.placed = this.place();
    pen.beginPath();
    pen.rect(...this.placed.box);
    pen.clip();
    stop.sizes.forEach((_, k) => k === alone || this.paintCluster(pen, k, alone !== null));
    if (alone !== null) this.paintCluster(pen, alone, false);
  }

  paintCluster(pen, k, faded) {
    const look = this.stop.looks[k];
    const shape = Looks.shape(look, this.colors);
    const radius = this.radius * (shape ? 1.15 : 1);
    const outlined = !faded && !this.many;
    pen.fillStyle = faded ? this.theme.rule : Looks.color(look, this.colors);
    pen.strokeStyle = this.theme.paper;
    pen.lineWidth = 0.6;
    for (const i of this.members[k]) {
      pen.beginPath();
      Looks.trace(pen, shape, this.placed.x[i], this.placed.y[i], radius);
      pen.fill();
      if (outlined) pen.stroke();
    }
  }

  // The row under the pointer, as text.
  point(event) {
    if (!this.placed) return;
    const area = this.canvas.getBoundingClientRect();
    const px = event.clientX - area.left, py = event.clientY - area.top;
    let best = -1, least = 100;
    for (let i = 0; i < this.placed.x.length; i++) {
      const away = (this.placed.x[i] - px) ** 2 + (this.placed.y[i] - py) ** 2;
      if (away <= least) [best, least] = [i, away];
    }
    this.tip.hidden = best < 0;
    if (best < 0) return;
    const k = this.stop.labels[best];
    const noun = this.points.rows_have_ids ? "" : "row ";
    this.tip.textContent = `${noun}${this.points.ids[best]}\ncluster ${this.stop.numbers[k]} of ${this.stop.sizes[k].toLocaleString("en")} rows`;
    this.tip.style.left = `${Math.min(px + 14, area.width - this.tip.offsetWidth)}px`;
    this.tip.style.top = `${py + 14}px`;
  }
}
