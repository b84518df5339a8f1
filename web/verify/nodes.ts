/** Elements of the page that checks cases. */

type Child = Node | string;

/** An element with attributes and children; texts are never read as markup. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export function card(...children: readonly Child[]): HTMLElement {
  return make('section', { class: 'card' }, ...children);
}
