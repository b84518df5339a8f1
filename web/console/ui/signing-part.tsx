/** Whether a camera's video is as the camera signed it, and who signed. */

import type { ComponentChildren } from 'preact';
import { cameraDetailsPlace } from '../camera-places.ts';
import { nameInCertificate } from '../certificate-name.ts';
import type { CameraStreams } from '../stream-state.ts';
import { t } from '../words.ts';
import { Facts } from './facts.tsx';
import { WhenTime } from './time.tsx';

type Signing = NonNullable<CameraStreams['signing']>;

interface SigningWords {
  readonly title: string;
  readonly text: string;
  /** As for the state of a camera. */
  readonly sign: 'live' | 'connecting' | 'not-checked' | 'offline';
}

const WORDS: Readonly<Record<Exclude<Signing['state'], 'none'>, SigningWords>> = {
  signed: {
    title: t('Signed by the camera'),
    text: t('The live video is as the camera signed it.'),
    sign: 'live',
  },
  incomplete: {
    title: t('Signed by the camera, with gaps'),
    text: t('Frames were lost on the way. The others are as the camera signed them.'),
    sign: 'connecting',
  },
  unverifiable: {
    title: t('Signature not checked'),
    text: t(
      'The camera signs its video, but a part that is needed for the check is missing or cannot be read.',
    ),
    sign: 'not-checked',
  },
  changed: {
    title: t('Not as the camera signed it'),
    text: t(
      'Within the last hour, video was changed on its way from the camera, or frames were added. Check who can reach the camera and its network.',
    ),
    sign: 'offline',
  },
  stopped: {
    title: t('No longer signed'),
    text: t(
      'The camera signed its video before. Check whether someone turned that off, or put another camera in its place.',
    ),
    sign: 'offline',
  },
};

const TRUST: Readonly<Record<NonNullable<Signing['trust']>, string>> = {
  trusted: t('Leads to a trusted certificate'),
  untrusted: t('Not trusted: it leads to no trusted certificate, or was not valid'),
  unknown: t('Not checked: the gateway has no certificates of manufacturers'),
};

/** On the top of a camera's pages; nothing if the camera does not sign. */
export function SigningBadge({
  camera: { cameraUuid, signing },
}: {
  readonly camera: Pick<CameraStreams, 'cameraUuid' | 'signing'>;
}) {
  if (signing === undefined || signing.state === 'none') return null;
  const { title, sign } = WORDS[signing.state];
  return (
    <a href={cameraDetailsPlace(cameraUuid)} class={`sign ${sign}`}>
      {title}
    </a>
  );
}

export function SigningPart({ signing }: { readonly signing: Signing }) {
  if (signing.state === 'none') return null;
  const { title, text, sign } = WORDS[signing.state];
  return (
    <section class="stream">
      <h2>{t('Signature of the camera')}</h2>
      <p>
        <span class={`sign ${sign}`}>{title}</span>
      </p>
      <p class={sign === 'offline' ? 'trouble' : 'hint'}>{text}</p>
      <Facts facts={factsOf(signing)} />
    </section>
  );
}

function factsOf(signing: Signing): readonly (readonly [string, ComponentChildren])[] {
  const { sinceMs, changedAtMs, subject, issuer, trust, manufacturer, serialNumber, firmware } = signing;
  return [
    [t('Since'), sinceMs === undefined ? null : <WhenTime epochMs={sinceMs} />],
    [t('Last changed video'), changedAtMs === undefined ? null : <WhenTime epochMs={changedAtMs} />],
    [t('Signed by'), subject === undefined ? null : nameInCertificate(subject)],
    [t('Certificate issued by'), issuer === undefined ? null : nameInCertificate(issuer)],
    [t('Certificate'), trust === undefined ? null : TRUST[trust]],
    [t('Manufacturer'), manufacturer ?? null],
    [t('Serial number'), serialNumber ?? null],
    [t('Firmware'), firmware ?? null],
  ];
}
