/** A focused password is selected, so that typing or pasting replaces it: no one can see where the caret is among the dots. */

const PASSWORDS = 'input[type="password"], input.secret';

export function selectPasswords(page: Document): void {
  page.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.matches(PASSWORDS)) return;
    target.select();
    // The end of the press that focused it would put the caret there.
    const keep = (event: Event): void => event.preventDefault();
    target.addEventListener('mouseup', keep, { once: true });
    target.addEventListener('keydown', () => target.removeEventListener('mouseup', keep), { once: true });
  });
}
