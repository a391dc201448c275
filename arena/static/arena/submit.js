// A file may be dropped anywhere on the form; what is too big is said before it is sent. Without this the form works too.

const form = document.querySelector("form[data-drop]");
const field = form.querySelector('input[type="file"]');
const state = form.querySelector("[data-drop-state]");

function filled(template, facts) {
  return template.replace(/\{(\w+)\}/g, (_, name) => facts[name]);
}

function tell() {
  const [file] = field.files;
  const limit = Number(form.dataset.limit);
  const isTooBig = file !== undefined && file.size > limit;
  state.classList.toggle("errorlist", isTooBig);
  state.textContent = file
    ? filled(isTooBig ? form.dataset.tooBig : form.dataset.dropped, {
        name: file.name,
        size: Math.ceil(file.size / 1024),
        limit: Math.floor(limit / 1024),
      })
    : form.dataset.hint;
}

function carriesFiles(event) {
  return event.dataTransfer?.types.includes("Files");
}

form.addEventListener("dragover", (event) => {
  if (carriesFiles(event)) {
    event.preventDefault();
    form.classList.add("drop-here");
  }
});

form.addEventListener("dragleave", (event) => {
  if (!form.contains(event.relatedTarget)) form.classList.remove("drop-here");
});

form.addEventListener("drop", (event) => {
  form.classList.remove("drop-here");
  if (!carriesFiles(event)) return;
  event.preventDefault();
  if (event.dataTransfer.files.length !== 1) {
    state.textContent = form.dataset.single;
    return;
  }
  field.files = event.dataTransfer.files;
  tell();
});

field.addEventListener("change", tell);
tell();
