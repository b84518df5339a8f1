/** A program by its common name; its own name on hover. */

import { programText } from '../program-text.ts';
import { t } from '../words.ts';

export function ProgramName({ userAgent }: { readonly userAgent: string }) {
  const text = programText(userAgent);
  return text === '' ? t('Unknown program') : <span title={userAgent}>{text}</span>;
}
