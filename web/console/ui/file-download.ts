/** Files that the page made, for the person to save. */

/** `type`: of the content, without a character set. */
export function saveFile(name: string, type: string, text: string): void {
  save(name, new Blob([text], { type: `${type};charset=utf-8` }));
}

export function saveBytes(name: string, type: string, base64: string): void {
  save(name, new Blob([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))], { type }));
}

function save(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
