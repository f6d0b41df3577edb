/* Makes the questions answerable. Without this script every explanation can still be
   opened, as in a notebook. Nothing is sent; reading.mjs keeps the answer in the browser. */
"use strict";
{
  for (const form of document.querySelectorAll("form.quiz")) {
    const options = [...form.querySelectorAll(".quiz-option")];
    const answer = form.querySelector(".quiz-answer");
    form.classList.add("live");
    form.querySelector(".quiz-buttons").hidden = false;

    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const chosen = options.find((option) => option.querySelector("input").checked);
      if (!chosen) {
        answer.textContent = "Choose an answer first.";
        return;
      }
      mark(chosen);
      const right = chosen.dataset.verdict === "right";
      const verdict = document.createElement("strong");
      verdict.textContent = right ? "Right. " : "Not right. ";
      const why = document.createElement("span");
      // The explanation is part of this page; its first word repeats the verdict.
      why.innerHTML = chosen.querySelector("details p").innerHTML
        .replace(/^(Right|No)\. /, "");
      answer.replaceChildren(verdict, why);
      answer.dataset.verdict = chosen.dataset.verdict;
      const letter = chosen.querySelector("input").value;
      form.dispatchEvent(new CustomEvent("course:answered", { detail: { letter, right } }));
    });

    form.querySelector(".quiz-all").addEventListener("click", () => {
      form.classList.add("all");
      for (const option of options) {
        mark(option);
        option.querySelector("details").open = true;
      }
    });
  }

  function mark(option) {
    option.classList.add("checked");
  }
}
