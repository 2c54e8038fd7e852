// What the page does with its data (html.py's page_data()); d3 draws. Times are nanoseconds since the program began.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { lines, names, files } = data;
  const $ = (selector) => document.querySelector(selector);
  const made = (tag, attributes = {}, ...children) => {
    const node = Object.assign(document.createElement(tag), attributes);
    node.append(...children);
    return node;
  };

  // ---- words

  const three = (value) => (value >= 999.5 ? value.toFixed(0) : String(Number(value.toPrecision(3))));
  function time(ns) {
    for (const [limit, unit, name] of [[1e3, 1, "ns"], [1e6, 1e3, "us"], [1e9, 1e6, "ms"]])
      if (Math.abs(ns) < limit * 0.9995) return `${three(ns / unit)} ${name}`;
    return `${three(ns / 1e9)} s`;
  }
  function size(bytes) {
    const units = ["bytes", "KB", "MB", "GB"];
    let power = 0;
    while (power < 3 && Math.abs(bytes) >= 1024 ** (power + 1) * 0.9995) ++power;
    return `${three(bytes / 1024 ** power)} ${units[power]}`;
  }
  const where = (number) => {
    const line = lines[number];
    return !line || line.file < 0 ? "(no line of the program)" : `${files[line.file].short}:${line.line}`;
  };
  const sourceOf = (number) => (lines[number] && lines[number].file >= 0 ? lines[number].source : "");

  document.title = `quern profile: ${data.title}`;
  $("h1").textContent = `${data.title}: ${time(data.span)} on ${data.devices}`;
  $("#head").textContent = data.head;

  // ---- the hint at the pointer, and the line that was chosen

  const tip = $("#tip");
  function hint(event, text) {
    tip.hidden = !text;
    if (!text) return;
    tip.textContent = text;
    tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)}px`;
  }

  function choose(number) {
    const panel = $("#line"), line = lines[number];
    document.querySelectorAll("tr.chosen").forEach((row) => row.classList.remove("chosen"));
    panel.hidden = !line;
    if (!line) return;
    const list = made("ul");
    for (const text of [...line.why, ...line.advice.map((advice) => `Advice: ${advice}`)]) list.append(made("li", { textContent: text }));
    const costs = [["device", line.device], ["host", line.host], ["waiting", line.waiting], ["compiling", line.compiling]]
      .filter(([, ns]) => ns >= 500).map(([name, ns]) => `${name} ${time(ns)}`);
    const head = made("h2", {}, made("a", { textContent: where(number), onclick: () => { show("source"); reveal(number); } }),
      line.function ? ` in ${line.function}` : "");
    panel.replaceChildren(made("button", { textContent: "Close", onclick: () => choose(-1) }), head,
      made("code", { textContent: sourceOf(number) }), made("p", { textContent: costs.join(", ") }), list);
    const row = document.querySelector(`tr[data-line="${number}"]`);
    if (row) row.classList.add("chosen");
  }
  function reveal(number) {
    choose(number);
    const row = document.querySelector(`tr[data-line="${number}"]`);
    if (row) row.scrollIntoView({ block: "center" });
  }

  // ---- source, with what each line cost in the margin

  const columns = [["Device", (l) => Math.max(l.device, l.asked), time], ["Host", (l) => l.host, time], ["Waiting", (l) => l.waiting, time],
    ["Compiling", (l) => l.compiling, time], ["Launches", (l) => l.launches, String], ["Copies", (l) => l.copied, () => ""],
    ["Peak", (l) => l.peak, size]];
  const most = columns.map(([, of]) => d3.max(lines, of) || 1);
  const heat = d3.scaleLinear().domain([0, 1]).range(["#ffffff", "#f2a65a"]).clamp(true);
  const around = 3; // lines shown beside one that costs something

  function drawSource() {
    const by = new Map(lines.map((line, number) => [`${line.file}:${line.line}`, number]));
    const section = $("#source");
    files.forEach((file, f) => {
      const table = made("table", { className: "listing" });
      table.append(made("tr", {}, ...columns.map(([name]) => made("th", { textContent: name })), made("th", { textContent: "Line" }),
        made("th", { textContent: "Source", className: "text" })));
      const near = new Set();
      lines.forEach((line) => { if (line.file === f) for (let n = line.line - around; n <= line.line + around; ++n) near.add(n); });
      const append = (n, before) => {
        const number = by.get(`${f}:${n}`), line = lines[number];
        const row = made("tr");
        if (line) {
          row.className = "cost";
          row.dataset.line = number;
          row.onclick = () => choose(number);
        }
        columns.forEach(([name, of, words], column) => {
          const value = line ? of(line) : 0, cell = made("td");
          if (value && (words !== time || value >= 500)) {
            cell.textContent = name === "Copies" ? line.copies : name === "Device" && line.asked > line.device ? `(${words(value)})` : words(value);
            cell.style.background = heat(Math.sqrt(value / most[column]) * 0.9);
          }
          row.append(cell);
        });
        row.append(made("td", { textContent: n, className: "number" }), made("td", { textContent: file.lines[n - 1], className: "text" }));
        before ? before.before(row) : table.append(row);
      };
      for (let n = 1; n <= file.lines.length; ++n) {
        const short = file.lines.length < 60;
        if (short || near.has(n)) { append(n); continue; }
        let last = n;
        while (last < file.lines.length && !near.has(last + 1)) ++last;
        const first = n, gap = made("tr", { className: "gap" });
        gap.append(made("td", { colSpan: columns.length + 2, textContent: `lines ${first} to ${last}` }));
        gap.onclick = () => { for (let m = first; m <= last; ++m) append(m, gap); gap.remove(); };
        table.append(gap);
        n = last;
      }
      section.append(made("h2", { textContent: file.name }), table);
    });
    if (!files.length) section.append(made("p", { textContent: "No line of the program cost anything." }));
  }

  // ---- what timeline and memory share: the part of time that is seen

  const left = 150, right = 12;
  let transform = d3.zoomIdentity;
  const zoomed = []; // [element, its zoom, redraw]
  const width = () => Math.max(document.documentElement.clientWidth - 40, 400);
  const whole = () => d3.scaleLinear().domain([0, data.span || 1]).range([left, width() - right]);
  const seen = () => transform.rescaleX(whole());
  const farthest = () => Math.max(data.span / 200, 1); // 200 ns across the page

  function zoomable(element, redraw) {
    const zoom = d3.zoom().scaleExtent([1, farthest()]).on("zoom", (event) => {
      transform = event.transform;
      for (const [other, , draw] of zoomed) {
        if (other !== element) other.__zoom = transform;
        draw();
      }
    });
    zoomed.push([element, zoom, redraw]);
    d3.select(element).call(zoom);
    fit();
  }
  function fit() {
    for (const [, zoom] of zoomed) zoom.extent([[left, 0], [width() - right, 1]]).translateExtent([[left, 0], [width() - right, 1]]);
    const [from, to] = seen().domain();
    document.querySelectorAll(".range").forEach((span) => (span.textContent = `${time(Math.max(from, 0))} to ${time(to)}`));
  }
  document.querySelectorAll(".whole").forEach((button) => (button.onclick = () => {
    const [element, zoom] = zoomed[0];
    d3.select(element).call(zoom.transform, d3.zoomIdentity);
  }));

  function axis(svg, x, top) {
    let group = svg.select("g.axis");
    if (group.empty()) group = svg.append("g").attr("class", "axis");
    const step = (x.domain()[1] - x.domain()[0]) / 8;
    const unit = step < 1e3 ? [1, "ns"] : step < 1e6 ? [1e3, "us"] : step < 1e9 ? [1e6, "ms"] : [1e9, "s"];
    const scale = x.copy().domain(x.domain().map((ns) => ns / unit[0]));
    group.attr("transform", `translate(0,${top})`).call(d3.axisTop(scale).ticks(8).tickFormat((v) => `${v.toLocaleString("en")} ${unit[1]}`));
  }

  // ---- timeline

  const rowHeight = 16, headHeight = 24;
  const hostColors = { compile: "#c0504d", load: "#d98880", wait: "#9aa5b1", launch: "#4f81bd", host_to_device: "#e0a030",
    device_to_host: "#e07b39", device_to_device: "#b8a038", fill: "#7fb069", allocate: "#8064a2" };
  const deviceColors = d3.scaleOrdinal(d3.schemeTableau10);
  const colorOf = (lane, name) => (lane.kind === "host" ? hostColors[names[name].split(" ")[0]] || "#9aa5b1" : deviceColors(name));

  function drawTimeline() {
    const box = $("#timeline .chart");
    const canvas = made("canvas"), ground = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const svg = d3.select(ground).attr("height", headHeight);
    box.append(ground, canvas);
    let top = 0;
    for (const lane of data.lanes) {
      lane.top = top;
      top += lane.rows * rowHeight + 8;
      lane.reach = []; // the latest end so far: where to begin to look
      let latest = 0;
      lane.start.forEach((start, i) => lane.reach.push((latest = Math.max(latest, start + lane.duration[i]))));
    }
    const height = Math.max(top, 40);

    function visible(lane, from, to, each) {
      for (let i = d3.bisectLeft(lane.reach, from); i < lane.start.length && lane.start[i] <= to; ++i)
        if (lane.start[i] + lane.duration[i] >= from) each(i);
    }
    function draw() {
      const x = seen(), [from, to] = x.domain(), ratio = devicePixelRatio || 1, wide = width();
      canvas.width = wide * ratio;
      canvas.height = height * ratio;
      canvas.style.height = `${height}px`;
      svg.attr("width", wide);
      axis(svg, x, headHeight - 2);
      const paper = canvas.getContext("2d");
      paper.scale(ratio, ratio);
      paper.font = "11px system-ui, sans-serif";
      paper.textBaseline = "middle";
      for (const lane of data.lanes) {
        paper.fillStyle = "#f5f7f9";
        paper.fillRect(left, lane.top, wide - left - right, lane.rows * rowHeight);
        const drawn = new Array(lane.rows).fill(-1); // the last pixel of each row: what lies in it is not drawn again
        visible(lane, from, to, (i) => {
          const row = lane.row[i], begin = Math.max(x(lane.start[i]), left), end = Math.min(x(lane.start[i] + lane.duration[i]), wide - right);
          if (end <= drawn[row]) return;
          const across = Math.max(end - begin, 0.7);
          drawn[row] = begin + across;
          paper.fillStyle = colorOf(lane, lane.name[i]);
          paper.fillRect(begin, lane.top + row * rowHeight + 1, across, rowHeight - 2);
          if (across > 40) {
            paper.save();
            paper.beginPath();
            paper.rect(begin, lane.top + row * rowHeight, across - 3, rowHeight);
            paper.clip();
            paper.fillStyle = "white";
            paper.fillText(names[lane.name[i]], begin + 3, lane.top + (row + 0.5) * rowHeight + 0.5);
            paper.restore();
          }
        });
        paper.fillStyle = "white";
        paper.fillRect(0, lane.top, left - 1, lane.rows * rowHeight);
        paper.fillStyle = "#1c2430";
        paper.fillText(lane.label, 0, lane.top + rowHeight / 2, left - 8);
      }
      fit();
    }
    function at(event) {
      const box = canvas.getBoundingClientRect(), x = seen(), px = event.clientX - box.left, py = event.clientY - box.top;
      for (const lane of data.lanes) {
        const row = Math.floor((py - lane.top) / rowHeight);
        if (row < 0 || row >= lane.rows || px < left) continue;
        let found = -1;
        visible(lane, x.invert(px - 2), x.invert(px + 2), (i) => { if (lane.row[i] === row) found = i; });
        if (found >= 0) return [lane, found];
      }
      return null;
    }
    canvas.onmousemove = (event) => {
      const found = at(event);
      if (!found) return hint(event, "");
      const [lane, i] = found;
      const count = lane.count[i] > 1 ? `${lane.count[i]} calls in ` : "";
      hint(event, `${names[lane.name[i]]}\n${count}${time(lane.duration[i])}, from ${time(lane.start[i])}\n${where(lane.line[i])}  ${sourceOf(lane.line[i]).trim()}`);
    };
    canvas.onmouseleave = (event) => hint(event, "");
    canvas.addEventListener("click", (event) => {
      const found = at(event);
      choose(found ? found[0].line[found[1]] : -1);
    });
    zoomable(canvas, draw);
    return draw;
  }

  // ---- flames

  const frameHeight = 18;
  function drawFlame() {
    const box = $("#flame .chart"), svg = d3.select(box).append("svg");
    let side = "host", root, focus;
    const colors = d3.scaleOrdinal(["#e8743b", "#ed8b4f", "#f0a267", "#e3b04b", "#d9893f", "#c96a3a"]);
    function lay() {
      root = d3.partition()(d3.hierarchy(data.flame[side]).sum((d) => d.own || 0).sort((a, b) => b.value - a.value));
      focus = root;
      document.querySelectorAll("#flame .tools button").forEach((button) => button.classList.toggle("on", button.dataset.side === side));
      draw();
    }
    function draw() {
      const wide = width(), x = d3.scaleLinear().domain([focus.x0, focus.x1]).range([0, wide]);
      const frames = root.descendants().filter((d) => d.x1 > focus.x0 && d.x0 < focus.x1 && x(d.x1) - x(d.x0) > 0.4);
      svg.attr("width", wide).attr("height", (root.height + 1) * frameHeight);
      const groups = svg.selectAll("g.frame").data(frames, (d) => d.ancestors().map((a) => a.data.name).join("\n")).join((enter) => {
        const group = enter.append("g").attr("class", "frame");
        group.append("rect");
        group.append("text");
        return group;
      });
      const begin = (d) => Math.max(x(d.x0), 0), across = (d) => Math.max(Math.min(x(d.x1), wide) - begin(d), 0);
      groups.attr("transform", (d) => `translate(${begin(d)},${d.depth * frameHeight})`);
      groups.select("rect").attr("width", across).attr("height", frameHeight - 1).attr("fill", (d) => (d.depth ? colors(d.data.name) : "#c9d1d9"))
        .attr("fill-opacity", (d) => (d.depth < focus.depth ? 0.5 : 1))
        .on("click", (event, d) => { focus = d === focus && d.parent ? d.parent : d; if (d.data.line >= 0) choose(d.data.line); draw(); })
        .on("mousemove", (event, d) => hint(event, `${d.data.name}\n${time(d.value)}, ${((100 * d.value) / (root.value || 1)).toFixed(1)} %${d.data.line >= 0 ? `\n${sourceOf(d.data.line).trim()}` : ""}`))
        .on("mouseleave", (event) => hint(event, ""));
      groups.select("text").attr("x", 4).attr("y", frameHeight - 5).text((d) => {
        const room = Math.floor((across(d) - 8) / 6.2), text = d.data.line >= 0 ? `${d.data.name}  ${sourceOf(d.data.line).trim()}` : d.data.name;
        return room < 3 ? "" : text.length > room ? `${text.slice(0, room - 1)}…` : text;
      });
    }
    document.querySelectorAll("#flame .tools button").forEach((button) => (button.onclick = () => { side = button.dataset.side; lay(); }));
    lay();
    return draw;
  }

  // ---- memory

  function drawMemory() {
    const { times, owners, peak } = data.memory, height = 320, bottom = 20;
    const box = $("#memory .chart"), svg = d3.select(box).append("svg").attr("height", height);
    const colors = d3.schemeTableau10.concat(["#c9d1d9"]);
    const colorOf = (i) => (owners[i].line < 0 ? "#c9d1d9" : colors[i % 10]);
    const label = (i) => (owners[i].line < 0 ? "other lines" : where(owners[i].line));
    const stack = d3.stack().keys(d3.range(owners.length)).value((i, key) => owners[key].bytes[i])(d3.range(times.length));
    const y = d3.scaleLinear().domain([0, d3.max(stack.length ? stack[stack.length - 1] : [], (d) => d[1]) || 1]).nice().range([height - bottom, headHeight]);
    svg.append("clipPath").attr("id", "inside").append("rect").attr("x", left).attr("y", 0).attr("height", height);
    const areas = svg.append("g").attr("clip-path", "url(#inside)");
    const mark = areas.append("line").attr("stroke", "#1c2430").attr("stroke-dasharray", "3 3");
    svg.append("g").attr("transform", `translate(${left},0)`).call(d3.axisLeft(y).ticks(6).tickFormat(size));
    function draw() {
      const x = seen(), wide = width();
      svg.attr("width", wide);
      svg.select("#inside rect").attr("width", wide - left - right);
      axis(svg, x, headHeight - 4);
      const area = d3.area().curve(d3.curveStepAfter).x((d) => x(times[d.data])).y0((d) => y(d[0])).y1((d) => y(d[1]));
      areas.selectAll("path").data(stack).join("path").attr("d", area).attr("fill", (d) => colorOf(d.key)).attr("fill-opacity", 0.85)
        .on("mousemove", (event, d) => {
          const i = Math.max(d3.bisectRight(times, x.invert(d3.pointer(event, svg.node())[0])) - 1, 0);
          hint(event, `${label(d.key)}: ${size(owners[d.key].bytes[i])} of ${size(d3.sum(owners, (o) => o.bytes[i]))} at ${time(times[i])}\n${sourceOf(owners[d.key].line).trim()}`);
        })
        .on("mouseleave", (event) => hint(event, ""))
        .on("click", (event, d) => choose(owners[d.key].line));
      mark.attr("x1", x(peak.time)).attr("x2", x(peak.time)).attr("y1", headHeight).attr("y2", height - bottom).raise();
      fit();
    }
    const table = made("table");
    for (const { line, bytes } of peak.owners) {
      const i = owners.findIndex((owner) => owner.line === line), swatch = made("td", { className: "swatch" });
      swatch.style.background = i < 0 ? "#c9d1d9" : colorOf(i);
      table.append(made("tr", {}, swatch, made("td", { textContent: size(bytes) }),
        made("td", {}, made("a", { textContent: where(line), onclick: () => choose(line) })), made("td", {}, made("code", { textContent: sourceOf(line).trim() }))));
    }
    $("#memory .owners").append(made("h2", { textContent: peak.bytes ? `At the peak, ${size(peak.bytes)} at ${time(peak.time)}` : "No memory was asked for." }), table);
    zoomable(svg.node(), draw);
    return draw;
  }

  // ---- work by name

  function drawWork() {
    const { work, machine } = data, section = $("#work");
    if (!work.length) return void section.append(made("p", { textContent: "The devices had no work." }));
    if (machine)
      section.append(made("p", { textContent: `This machine can do ${three(machine.bandwidth / 1e9)} GB/s, ${three(machine.float32 / 1e9)} GFLOP/s of float32, ` +
        `${three(machine.float64 / 1e9)} GFLOP/s of float64, with ${machine.threads} threads.` }));
    const whole = d3.sum(work, (one) => one.total) || 1, known = (value, words) => (value > 0 ? words : "");
    const table = made("table", { className: "listing" });
    table.append(made("tr", {}, ...["Time", "%", "Calls", "Average", "GB/s", "GFLOP/s", "Threads"].map((name) => made("th", { textContent: name })),
      made("th", { textContent: "What it computes", className: "text" })));
    for (const one of work) {
      const cells = [time(one.total), ((100 * one.total) / whole).toFixed(1), one.calls, time(one.total / one.calls), known(one.bytes, three(one.bytes)),
        known(one.operations, three(one.operations)), known(one.threads, one.threads.toFixed(1))];
      table.append(made("tr", {}, ...cells.map((text) => made("td", { textContent: text })), made("td", { textContent: one.name, className: "text" })));
    }
    section.append(table);
  }

  function drawAdvice() {
    const list = made("ul");
    lines.forEach((line, number) => line.advice.forEach((text) => list.append(made("li", {},
      made("a", { textContent: where(number), onclick: () => choose(number) }), `: ${text}`))));
    $("#advice").append(list.children.length ? list : made("p", { textContent: "Nothing to say: no rule fires." }));
  }

  // ---- which view

  const drawn = {};
  const draws = { source: drawSource, timeline: drawTimeline, flame: drawFlame, memory: drawMemory, work: drawWork, advice: drawAdvice };
  function show(view) {
    for (const name of Object.keys(draws)) $(`#${name}`).hidden = name !== view;
    document.querySelectorAll("nav button").forEach((button) => button.classList.toggle("on", button.dataset.view === view));
    if (!(view in drawn)) drawn[view] = draws[view]() || (() => {});
    drawn[view]();
  }
  document.querySelectorAll("nav button").forEach((button) => (button.onclick = () => show(button.dataset.view)));
  addEventListener("resize", () => Object.values(drawn).forEach((draw) => draw()));
  addEventListener("keydown", (event) => { if (event.key === "Escape") choose(-1); });
  show("source");
})();
