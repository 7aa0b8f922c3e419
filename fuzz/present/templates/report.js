const copied = async (code) => {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {  // not allowed from a file in some browsers: the old way needs a selection
    getSelection().selectAllChildren(code);
    return document.execCommand("copy");
  }
};
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const done = await copied(document.getElementById(button.dataset.copy));
    button.textContent = done ? "Copied" : "Selected";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
}

const filter = document.getElementById("filter");
if (filter) filter.addEventListener("input", () => {
  const cards = [...document.querySelectorAll(".card")];
  const words = filter.value.toLowerCase().split(/\s+/);
  for (const card of cards) {
    const text = `${card.querySelector("summary").textContent} ${card.querySelector(".key").textContent}`.toLowerCase();
    card.hidden = !words.every((word) => text.includes(word));
  }
  const left = cards.filter((card) => !card.hidden).length;
  document.getElementById("shown").textContent = filter.value ? `${left} of ${cards.length}` : "";
});

const reveal = () => {  // a link into a closed card
  const place = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  for (let up = place; up; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
  if (place) place.scrollIntoView();
};
addEventListener("hashchange", reveal);
reveal();
