/** A program by its common name; its own name on hover. */

import { programText } from '../program-text.ts';

export function ProgramName({ userAgent }: { readonly userAgent: string }) {
  const text = programText(userAgent);
  return text === '' ? <>Unknown program</> : <span title={userAgent}>{text}</span>;
}
