/** `text` without the slashes it ends with. A pattern such as `/\/+$/` takes quadratic time on slashes in its middle. */
export function withoutTrailingSlashes(text: string): string {
  let length = text.length;
  while (length > 0 && text[length - 1] === '/') length -= 1;
  return text.slice(0, length);
}
