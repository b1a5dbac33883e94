// The theme that was chosen by hand, put on the document before anything is painted; so this is
// loaded ahead of the page, and apart from the script that brings it alive.
(() => {
  // In the order of the settings page's radio buttons.
  const themes = ["system", "light", "dark"];
  const root = document.documentElement;
  const show = (theme) => {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
  try {
    show(localStorage.getItem("theme"));
  } catch {
    // A browser that keeps nothing follows the system.
  }
  document.addEventListener("change", ({ target }) => {
    if (target.name !== "theme" || target.type !== "radio") return;
    const theme = themes[target.value];
    show(theme);
    try {
      localStorage.setItem("theme", theme);
    } catch {
      // Then it holds until the page is left.
    }
  });
  // Other windows follow.
  addEventListener("storage", ({ key, newValue }) => {
    if (key === "theme") show(newValue);
  });
})();
