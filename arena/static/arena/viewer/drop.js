/** A file dropped anywhere on the page is chosen and sent. */

const form = document.querySelector("[data-drop]");
const field = form.querySelector("input[type=file]");
// Dragging leaves and enters every element on its way; what is dragged is over the page while more are entered.
let n_entered = 0;

function isOver(event, change) {
  if (!event.dataTransfer.types.includes("Files")) return;
  event.preventDefault();
  n_entered += change;
  form.classList.toggle("is-over", n_entered > 0);
}

addEventListener("dragenter", (event) => isOver(event, 1));
addEventListener("dragleave", (event) => isOver(event, -1));
addEventListener("dragover", (event) => isOver(event, 0));
addEventListener("drop", (event) => {
  isOver(event, -n_entered);
  if (event.dataTransfer.files.length === 0) return;
  field.files = event.dataTransfer.files;
  form.requestSubmit();
});
