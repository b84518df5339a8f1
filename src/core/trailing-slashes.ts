/** `text` without its trailing slashes. A pattern such as `/\/+$/` takes quadratic time on slashes in the middle. */
export function withoutTrailingSlashes(text: string): string {
  let length = text.length;
  while (length > 0 && text[length - 1] === '/') length -= 1;
  return text.slice(0, length);
}
