// Elements of the page. All texts are set as text, never as markup.

export function byId(id) {
  return document.getElementById(id);
}

// An element with a class and children, which are elements or texts.
export function element(tag, className = "", ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

// Set the text of an element if it differs, so that a selection of text survives updates.
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function show(node, isShown) {
  if (node.hidden === isShown) node.hidden = !isShown;
}

// A table in a box that scrolls sideways when it is wider than the page, also by keyboard.
// columns: [{ head, isNumber, className }]; the first column names the row. On a phone, the last cell of a row of a
// folding table is below the others: such a layout hides from browsers that it is a table, so roles are set.
export class Table {
  constructor(place, caption, columns, { isFolding = false } = {}) {
    this.columns = columns;
    this.setRole = (node, role) => {
      if (isFolding) node.setAttribute("role", role);
      return node;
    };
    this.body = element("tbody");
    const heads = columns.map((column) => {
      if (column.head === "") return element("td"); // of a column without text
      const cell = element("th", column.isNumber ? "number" : "", column.head);
      cell.scope = "col";
      return this.setRole(cell, "columnheader");
    });
    const head = element("thead", "", this.setRole(element("tr", "", ...heads), "row"));
    const groups = [head, this.body].map((part) => this.setRole(part, "rowgroup"));
    const table = element("table", isFolding ? "folding" : "", element("caption", "", caption), ...groups);
    this.setRole(table, "table");
    place.tabIndex = 0;
    place.setAttribute("role", "group");
    place.setAttribute("aria-label", caption);
    place.replaceChildren(table);
  }

  // Rows of texts, or of elements where a cell has more than text. Rows of the page are used again.
  fill(rows) {
    while (this.body.rows.length > rows.length) this.body.deleteRow(-1);
    while (this.body.rows.length < rows.length) this.body.append(this.newRow());
    rows.forEach((row, index) => {
      row.forEach((value, place) => this.fillCell(this.body.rows[index].cells[place], value));
    });
  }

  newRow() {
    const cells = this.columns.map((column, index) => {
      const names = [column.isNumber ? "number" : "", column.className ?? ""].filter(Boolean);
      const cell = element(index === 0 ? "th" : "td", names.join(" "));
      if (index === 0) cell.scope = "row";
      return this.setRole(cell, index === 0 ? "rowheader" : "cell");
    });
    return this.setRole(element("tr", "", ...cells), "row");
  }

  fillCell(cell, value) {
    if (typeof value === "string") setText(cell, value);
    else if (!cell.firstChild?.isEqualNode?.(value)) cell.replaceChildren(value);
  }
}
