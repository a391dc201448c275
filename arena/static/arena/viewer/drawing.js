/** How a word, a number, a card's colour and a time are written, everywhere in the viewer. */

export const numeral = (value) => String(value).replace("-", "−");

export function shade(card) {
  if (card < 0) return "is-neg";
  if (card === 0) return "is-zero";
  if (card <= 4) return "is-low";
  return card <= 8 ? "is-mid" : "is-high";
}

export function element(name, className = "", text = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

/** A text of the page's, with its facts; all texts come from there, so that they are translated in one place. */
export const say = (words, word, facts = {}) => words[word].replace(/\{(\w+)\}/g, (_, name) => facts[name]);

export const duration = (ms) => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);
