// Puts the chosen theme (words/choices.ts) into effect before the first paint: modules run after it.
{
  const theme = localStorage.getItem('sluice.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
}
