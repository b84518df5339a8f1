/**
 * Marks that change the direction of text (Unicode, Bidi_Control). Anyone who names something could make its name read as another one,
 * such as `photo` and `gpj.exe` turned around.
 */

export function withoutBidiControls(text: string): string {
  return text.replaceAll(/\p{Bidi_Control}/gu, '');
}
