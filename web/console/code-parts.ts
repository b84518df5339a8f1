/** Sentences of the gateway that mark names of settings and commands as Markdown does, with backticks. Pure. */

export interface TextPart {
  readonly text: string;
  readonly isCode: boolean;
}

/** A backtick without its partner is text like any other. */
export function codeParts(sentence: string): TextPart[] {
  const pieces = sentence.split(/`([^`]+)`/);
  return pieces.map((text, i) => ({ text, isCode: i % 2 === 1 })).filter(({ text }) => text !== '');
}
