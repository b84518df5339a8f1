/**
 * What the gateway sends, as values. Names come from anyone, so the marks that change the direction of text (Unicode, Bidi_Control) are
 * left out: with them, a name could read as another one, in lists as in titles, tooltips, and names of files. In JSON, they can only be
 * within strings.
 */

export function parsePlain(json: string): unknown {
  return JSON.parse(json.replaceAll(/\p{Bidi_Control}/gu, ''));
}
