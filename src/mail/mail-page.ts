/**
 * What a mail looks like: text and HTML of the same words. The HTML loads nothing, so no one learns whether it is read. Colors are the
 * reader's: `color-scheme` lets programs that know dark mode turn them.
 */

import type { MailLanguage } from './languages.ts';
import { escaped, oneLine } from './plain-text.ts';

/** A picture within the mail (RFC 2392). */
export interface MailPicture {
  readonly cid: string;
  readonly jpeg: Buffer;
  readonly alt: string;
}

export interface MailRow {
  readonly title: string;
  /** Further facts, each on its line. */
  readonly lines: readonly string[];
  readonly picture?: MailPicture | null;
}

export interface MailPage {
  readonly language: MailLanguage;
  readonly subject: string;
  /** The first sentences. */
  readonly opening: readonly string[];
  readonly rows: readonly MailRow[];
  /** After the rows. */
  readonly closing?: readonly string[];
  readonly button?: { readonly title: string; readonly url: string } | null;
  /** In small print, such as why it came. */
  readonly notes: readonly string[];
  readonly link?: { readonly title: string; readonly url: string } | null;
}

export interface MailContent {
  readonly subject: string;
  readonly text: string;
  /** null: the mail is for programs. */
  readonly html: string | null;
  /** Shown within the HTML. */
  readonly pictures: readonly MailPicture[];
  /** Next to the text. Absent: none. */
  readonly attached?: readonly MailPicture[];
}

const MAX_SUBJECT_CHARS = 150;

export function mailContent(page: MailPage): MailContent {
  return {
    subject: oneLine(page.subject, MAX_SUBJECT_CHARS),
    text: textOf(page),
    html: htmlOf(page),
    pictures: page.rows.flatMap(({ picture }) => (picture == null ? [] : [picture])),
  };
}

function textOf({ opening, rows, closing = [], button, notes, link }: MailPage): string {
  const parts = [
    opening.map((line) => oneLine(line)).join('\n'),
    ...rows.map(({ title, lines }) =>
      [`* ${oneLine(title)}`, ...lines.map((line) => `  ${oneLine(line)}`)].join('\n'),
    ),
    closing.map((line) => oneLine(line)).join('\n'),
    button == null ? '' : `${button.title}:\n${button.url}`,
    [
      '--',
      ...notes.map((note) => oneLine(note)),
      ...(link == null ? [] : [`${link.title}: ${link.url}`]),
    ].join('\n'),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif";

function htmlOf({ language, subject, opening, rows, closing = [], button, notes, link }: MailPage): string {
  const paragraphs = (lines: readonly string[]): string =>
    lines.map((line) => `<p style="margin:0 0 12px">${escaped(line)}</p>`).join('');
  return [
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width">',
    '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">',
    '<style>:root{color-scheme:light dark}.row{border-top:1px solid #8884}.note{opacity:.75}</style>',
    `<title>${escaped(subject)}</title></head>`,
    `<body style="margin:0;padding:16px;${FONT};font-size:16px;line-height:1.45">`,
    '<div style="max-width:600px;margin:0 auto">',
    paragraphs(opening),
    ...rows.map(rowHtml),
    paragraphs(closing),
    button == null ? '' : buttonHtml(button),
    '<div class="note row" style="border-top:1px solid #8884;margin-top:16px;padding-top:12px;font-size:13px">',
    notes.map((note) => `<p style="margin:0 0 6px">${escaped(note)}</p>`).join(''),
    link == null
      ? ''
      : `<p style="margin:0"><a href="${escapedUrl(link.url)}">${escaped(link.title)}</a></p>`,
    '</div></div></body></html>',
  ].join('');
}

function rowHtml({ title, lines, picture }: MailRow): string {
  return [
    '<div class="row" style="border-top:1px solid #8884;padding:10px 0">',
    `<div style="font-weight:600"><bdi>${escaped(title)}</bdi></div>`,
    ...lines.map((line) => `<div><bdi>${escaped(line)}</bdi></div>`),
    picture == null
      ? ''
      : `<img src="cid:${picture.cid}" alt="${escaped(picture.alt)}" style="max-width:100%;height:auto;margin-top:8px;border-radius:6px">`,
    '</div>',
  ].join('');
}

function buttonHtml({ title, url }: { readonly title: string; readonly url: string }): string {
  return (
    `<p style="margin:16px 0"><a href="${escapedUrl(url)}" style="display:inline-block;padding:10px 18px;` +
    `border-radius:6px;background:#1f5fd6;color:#fff;text-decoration:none">${escaped(title)}</a></p>`
  );
}

/** URLs are the gateway's own, and longer than names. */
function escapedUrl(url: string): string {
  return escaped(new URL(url).href, Number.POSITIVE_INFINITY);
}
