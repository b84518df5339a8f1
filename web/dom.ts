/** Access to the elements that share.html declares. */

/**
 * The element with this ID. Throws if the page has none of that type: then the script and the page do not belong
 * together.
 */
export function element<T extends Element>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new TypeError(`share.html has no ${type.name} with the id ${id}`);
  return found;
}

/** Sets the text only if it differs, which keeps screen readers and layout quiet. */
export function setText(node: HTMLElement, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}
