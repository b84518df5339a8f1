/** A sentence of the gateway, with the names of settings and commands as code. */

import { codeParts } from '../code-parts.ts';

export function Sentence({ text }: { readonly text: string }) {
  return (
    <>{codeParts(text).map((part, i) => (part.isCode ? <code key={i}>{part.text}</code> : part.text))}</>
  );
}
