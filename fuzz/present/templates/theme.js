"use strict";
const root = document.documentElement;
root.classList.add("scripted");

const theme = document.getElementById("theme");
const darkNow = () => root.dataset.theme
  ? root.dataset.theme === "dark"
  : matchMedia("(prefers-color-scheme: dark)").matches;
const nameTheme = () => { theme.textContent = darkNow() ? "Light colours" : "Dark colours"; };
theme.addEventListener("click", () => { root.dataset.theme = darkNow() ? "light" : "dark"; nameTheme(); });
nameTheme();
