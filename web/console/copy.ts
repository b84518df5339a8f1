/** The clipboard, also where the browser offers it to no page: over plain HTTP on a local network. */

/** Whether the text is in the clipboard now. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Denied: the way below needs no permission.
    }
  }
  return copySelected(text);
}

/** Within an open dialog, because nothing outside can have the focus. */
function copySelected(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'off-screen';
  (before?.closest('dialog') ?? document.body).append(field);
  field.select();
  // Deprecated, and the only way without HTTPS.
  const isCopied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}
