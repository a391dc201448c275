/** Links to the place that the viewer shows: they follow it, and are copied by a button. */

export class Share {
  /** `root` holds `[data-link]`, an address, around each field that holds it and a button. A textarea holds markup. */
  constructor(root) {
    this.root = root;
    this.status = root.querySelector("[role=status]");
    root.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape" || !root.open) return;
      root.open = false;
      root.querySelector("summary").focus();
    });
    for (const part of root.querySelectorAll("[data-link]")) {
      const button = part.querySelector("button");
      button.hidden = false;
      button.addEventListener("click", () => this.copy(part.querySelector("input, textarea")));
    }
  }

  show(query) {
    for (const part of this.root.querySelectorAll("[data-link]")) {
      const field = part.querySelector("input, textarea");
      const more = part.dataset.link.includes("?") ? query.replace("?", "&") : query;
      const place = field.localName === "textarea" ? more.replaceAll("&", "&amp;") : more;
      field.value = field.defaultValue.replace(part.dataset.link, (base) => base + place);
    }
  }

  async copy(field) {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      this.status.textContent = this.status.dataset.copied;
    } catch {
      // Browsers give no clipboard to pages without TLS; the text is selected, so that a key copies it.
      this.status.textContent = this.status.dataset.selected;
    }
  }
}
