// The printed report's totals and tables, as the command has written them.

function totalsOf(kernel) {
  const parts = [];
  const lines = document.createElement("ul");
  for (const text of kernel.totals) {
    const line = document.createElement("li");
    line.textContent = text;
    lines.append(line);
  }
  parts.push(lines);
  for (const table of kernel.tables) parts.push(tableOf(table));
  return parts;
}

function tableOf({caption, header, rows}) {
  const scroller = document.createElement("div");
  scroller.className = "scroller";
  scroller.tabIndex = 0;
  const table = document.createElement("table");
  table.createCaption().textContent = caption;
  const addRow = (section, cells, kind) => {
    const row = section.insertRow();
    for (const text of cells) {
      const cell = document.createElement(kind);
      cell.textContent = text;
      row.append(cell);
    }
  };
  addRow(table.createTHead(), header, "th");
  const body = table.createTBody();
  rows.forEach((row) => addRow(body, row, "td"));
  scroller.append(table);
  return scroller;
}
