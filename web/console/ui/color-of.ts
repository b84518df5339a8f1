/** A color of the style sheets as a canvas takes it: for the scheme that is in effect. */
export function colorOf(parent: HTMLElement, variable: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${variable})`;
  parent.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
