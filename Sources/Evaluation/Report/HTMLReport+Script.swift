extension EvaluationReport {
  /// Shows the rates at each slider's place, and moves the markers.
  static let program = """
    function rate(n, of) {
      const value = n / of;
      const short = Number(value.toExponential(2));
      const text = n === 0 ? "0" : n === of ? "1" : short < 1e-3 ? value.toExponential(2) : short.toPrecision(3);
      return text + " (" + n.toLocaleString("en") + " of " + of.toLocaleString("en") + ")";
    }
    function show(each, place) {
      document.getElementById(each.id + "-value").textContent = each.thresholds[place].toFixed(6);
      for (const [name, counts] of Object.entries(each.values)) {
        const cell = document.getElementById(name);
        if (cell) cell.textContent = counts.n[place] === null ? "–" : rate(counts.n[place], counts.of);
      }
      for (const [name, places] of Object.entries(each.markers)) {
        const point = places[place], isLine = name.startsWith("hist");
        const mark = document.getElementById(name + (isLine ? "-line" : "-marker"));
        if (!mark) continue;
        mark.style.visibility = point ? "visible" : "hidden";
        if (!point) continue;
        for (const at of isLine ? ["x1", "x2"] : ["cx"]) mark.setAttribute(at, point[0]);
        if (!isLine) mark.setAttribute("cy", point[1]);
      }
    }
    for (const each of report) {
      const slider = document.getElementById(each.id);
      slider.addEventListener("input", () => show(each, Number(slider.value)));
      show(each, Number(slider.value));
    }
    """

  /// Two charts a row on a wide screen, one on a narrow one; on paper black enough to be copied.
  static let style = """
    :root { --mated: #1565a8; --nonmated: #c2410c; --ink: #1c1f24; --soft: #5c6470; --rule: #d8dce2; }
    * { box-sizing: border-box; }
    body { margin: 0 auto; padding: 24px 32px 48px; max-width: 1240px; color: var(--ink); background: #fff;
      font: 15px/1.45 system-ui, "Liberation Sans", "DejaVu Sans", sans-serif; }
    h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 18px; margin: 28px 0 8px; }
    header p, .note, footer { color: var(--soft); margin: 4px 0; }
    .warning { border-left: 4px solid var(--nonmated); background: #fff4ee; padding: 8px 12px; }
    table { border-collapse: collapse; width: 100%; font-size: 14px; }
    th, td { text-align: left; padding: 5px 12px 5px 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
    th { color: var(--soft); font-weight: 600; } td { font-variant-numeric: tabular-nums; }
    .n { white-space: nowrap; } .unsupported { color: var(--nonmated); } code { font-size: 13px; overflow-wrap: anywhere; }
    .slider.sticky { position: sticky; top: 0; z-index: 1; }
    .slider { background: #f4f7fb; border: 1px solid var(--rule);
      border-radius: 6px; padding: 10px 16px; margin: 20px 0; }
    .slider label { font-weight: 600; } .slider input { width: 100%; }
    .slider dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(230px, 1fr)); gap: 4px 16px; margin: 6px 0 0; }
    dt { color: var(--soft); font-size: 12px; } dd { margin: 0; font-variant-numeric: tabular-nums; }
    .charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(480px, 1fr)); gap: 20px 28px; }
    figure { margin: 0; break-inside: avoid; } figcaption { font-weight: 600; margin-bottom: 4px; }
    svg { width: 100%; height: auto; display: block; } svg text { font: 12px system-ui, "Liberation Sans", sans-serif; }
    .tick { fill: var(--soft); } .title { fill: var(--ink); }
    .grid { stroke: #e9ecf0; } .frame { fill: none; stroke: #9aa2ad; }
    .line { fill: none; stroke-width: 2; } .line.mated { stroke: var(--mated); }
    .line.nonmated { stroke: var(--nonmated); stroke-dasharray: 6 3; }
    .line.diagonal { stroke: #b8bec7; stroke-width: 1; stroke-dasharray: 4 4; }
    .s0 { stroke: #1565a8; } .s1 { stroke: #c2410c; stroke-dasharray: 6 3; } .s2 { stroke: #2e7d32; stroke-dasharray: 2 3; }
    .s3 { stroke: #7b3fa0; stroke-dasharray: 9 3 2 3; } .s4 { stroke: #8a6d00; stroke-dasharray: 12 4; } .s5 { stroke: #444b55; stroke-dasharray: 4 2; }
    .area { fill-opacity: .22; stroke-width: 1.5; } .area.mated { fill: var(--mated); stroke: var(--mated); }
    .area.nonmated { fill: var(--nonmated); stroke: var(--nonmated); stroke-dasharray: 5 2; }
    .dot.target { fill: #fff; stroke: var(--mated); stroke-width: 1.5; } .dot.mated { fill: var(--mated); }
    .eer { stroke: #9aa2ad; stroke-dasharray: 2 3; } .cursor { stroke: var(--ink); stroke-width: 1.5; }
    .marker { fill: var(--nonmated); stroke: #fff; stroke-width: 1.5; }
    @media (max-width: 700px) { body { padding: 16px; } .charts { grid-template-columns: 1fr; } .table { overflow-x: auto; } }
    @media print {
      @page { size: A4; margin: 14mm; } body { padding: 0; max-width: none; font-size: 11px; }
      table { font-size: 9.5px; } h2 { font-size: 14px; break-after: avoid; } tr { break-inside: avoid; }
      .slider.sticky { position: static; } .slider { background: none; } .slider input { display: none; }
      .charts { grid-template-columns: 1fr 1fr; gap: 10px 14px; }
      .slider dl { grid-template-columns: repeat(4, 1fr); } dt { font-size: 8.5px; } dd { font-size: 9.5px; }
      svg text { font-size: 15px; } code { font-size: 8.5px; }
    }
    """
}
