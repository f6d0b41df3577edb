/** On the page of a lesson: what is read and answered goes onto the reader's path. */

import { kept, keep } from "./live/kept.mjs";

const page = location.pathname.match(/\/notebooks\/(\d\d[a-z]?_\w+)\.html$/)?.[1];
const article = document.querySelector("article.bd-article");

if (page && article) {
  const forms = [...document.querySelectorAll("form.quiz")];
  const before = kept()[page] ?? { read: false, answers: {} };
  for (const form of forms) {
    const given = before.answers[form.id];
    const option = given && form.querySelector(`input[value="${given.letter}"]`);
    if (option) {
      option.checked = true;
      form.requestSubmit();
    }
    form.addEventListener("course:answered", ({ detail }) => {
      const answers = { ...kept()[page]?.answers, [form.id]: detail };
      keep(page, { answers, questions: forms.length });
    });
  }

  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = before.read;
  box.addEventListener("change", () => keep(page, { read: box.checked, questions: forms.length }));
  const label = document.createElement("label");
  label.append(box, " I have read this lesson");
  const road = document.createElement("a");
  road.href = new URL("../live/path.html", location.href).href;
  road.textContent = "Your path";
  const line = document.createElement("p");
  line.className = "lesson-read";
  line.append(label, " · ", road);
  article.append(line);
}
