"use strict";
const root = document.documentElement;
root.classList.add("scripted");

// What is chosen is kept for the next page, where a browser allows that.
const kept = (key, value) => {
  try {
    if (value) localStorage.setItem(`wgsl-fuzz-${key}`, value);
    return localStorage.getItem(`wgsl-fuzz-${key}`);
  } catch { return null; }
};
if (kept("theme")) root.dataset.theme = kept("theme");

const theme = document.getElementById("theme");
const darkNow = () => root.dataset.theme
  ? root.dataset.theme === "dark"
  : matchMedia("(prefers-color-scheme: dark)").matches;
const nameTheme = () => { theme.textContent = darkNow() ? "Light colours" : "Dark colours"; };
theme.addEventListener("click", () => { root.dataset.theme = kept("theme", darkNow() ? "light" : "dark") ?? (darkNow() ? "light" : "dark"); nameTheme(); });
nameTheme();
