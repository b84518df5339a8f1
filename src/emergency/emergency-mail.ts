/** The mail that opens cameras to a partner. Programs and people in a control room read it in a hurry: what, where, until when, one button. */

import type { InLanguages } from '../mail/languages.ts';
import { type MailContent, mailContent } from '../mail/mail-page.ts';
import type { Emergency } from '../sharing/emergency-link.ts';

interface Words {
  readonly subject: (title: string) => string;
  readonly opening: (by: string) => string;
  readonly reason: string;
  readonly cameras: string;
  readonly until: string;
  readonly button: string;
  readonly note: string;
}

const WORDS: InLanguages<Words> = {
  en: {
    subject: (title) => `Emergency, live video: ${title}`,
    opening: (by) => `${by} opened live video to you.`,
    reason: 'Reason',
    cameras: 'Cameras',
    until: 'Open until',
    button: 'Watch now',
    note: 'Anyone who has the link can watch until it ends. Who watches, and when, is recorded.',
  },
  de: {
    subject: (title) => `Notfall, Livevideo: ${title}`,
    opening: (by) => `${by} hat Livevideo für Sie geöffnet.`,
    reason: 'Grund',
    cameras: 'Kameras',
    until: 'Offen bis',
    button: 'Jetzt ansehen',
    note: 'Wer den Link hat, kann zusehen, bis er endet. Wer wann zusieht, wird aufgezeichnet.',
  },
  es: {
    subject: (title) => `Emergencia, vídeo en directo: ${title}`,
    opening: (by) => `${by} le ha abierto vídeo en directo.`,
    reason: 'Motivo',
    cameras: 'Cámaras',
    until: 'Abierto hasta',
    button: 'Ver ahora',
    note: 'Quien tenga el enlace puede mirar hasta que termine. Queda registrado quién mira y cuándo.',
  },
};

export function linkMail({ name, body }: Emergency, url: string): MailContent {
  const { cause, cameras, language, timeZone, untilMs } = body;
  const words = WORDS[language];
  const until = new Intl.DateTimeFormat(language, {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'short',
  });
  return mailContent({
    language,
    subject: words.subject(name),
    opening: [words.opening(cause.by)],
    rows: [
      { title: words.reason, lines: [cause.reason] },
      {
        title: words.cameras,
        lines: cameras.map((camera) =>
          [camera.name, camera.siteName].filter((part) => part !== null).join(', '),
        ),
      },
      { title: words.until, lines: [until.format(untilMs)] },
    ],
    button: { title: words.button, url },
    notes: [words.note],
  });
}
