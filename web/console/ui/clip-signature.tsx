/** What a camera signed in a clip that was copied from its recordings. */

import { nameInCertificate } from '../certificate-name.ts';
import type { TimelineClip } from '../timeline-state.ts';
import { t } from '../words.ts';

type Signature = NonNullable<TimelineClip['cameraSignatures']>[number];

/** `name`: of the camera; null: the clip has no other. */
export function ClipSignature({
  signature,
  name,
}: {
  readonly signature: Signature;
  readonly name: string | null;
}) {
  const { text, sign } = shown(signature);
  const signer = signature.subject === undefined ? null : nameInCertificate(signature.subject);
  return (
    <p>
      <span class={`sign ${sign}`}>{name === null ? text : `${name}: ${text}`}</span>
      {signer !== null && <span class="hint"> {t('Certificate: {name}', { name: signer })}</span>}
    </p>
  );
}

function shown({ signed, incomplete, changed, unverifiable }: Signature): {
  readonly text: string;
  readonly sign: 'live' | 'connecting' | 'not-checked' | 'offline';
} {
  if (changed > 0) return { text: t('Not as the camera signed it'), sign: 'offline' };
  if (incomplete > 0) return { text: t('Signed by the camera, with gaps'), sign: 'connecting' };
  if (unverifiable > 0 || signed === 0) return { text: t('Signature not checked'), sign: 'not-checked' };
  return { text: t('Signed by the camera'), sign: 'live' };
}
