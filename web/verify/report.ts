/** The report on an archive: a verdict, who signed, where the key comes from, and each file. */

import type { ArchiveFinding, FileFinding } from '../../src/evidence/verify-archive.ts';
import { t } from '../words/plain-words.ts';
import { card, make } from './nodes.ts';
import {
  manifestText,
  mediaTexts,
  problemText,
  signatureTexts,
  stateText,
  timeStampText,
  timeText,
} from './texts.ts';

const HEX_DIGITS = /[0-9a-f]/g;
const FINGERPRINT_DIGITS = 64;

/** `name`: of the archive or the folder. */
export function report(name: string, finding: ArchiveFinding): HTMLElement[] {
  return [verdict(name, finding), signature(finding), files(finding)];
}

function verdict(name: string, finding: ArchiveFinding): HTMLElement {
  const { isWhole, manifest, title, sealedAt } = finding;
  const shown = card(
    make('h2', {}, isWhole ? t('Everything is as it was sealed.') : t('This is not what was sealed.')),
  );
  shown.classList.add('verdict');
  shown.dataset.whole = String(isWhole);
  const facts = make('dl', {}, ...fact(t('Checked'), name));
  if (manifest === 'whole') {
    facts.append(...fact(t('Case'), title ?? ''), ...fact(t('Sealed'), timeText(Date.parse(sealedAt!))));
  }
  shown.append(facts, make('p', {}, advice(finding)));
  return shown;
}

function advice({ isWhole, manifest, files: all }: ArchiveFinding): string {
  if (isWhole) {
    return t(
      'No byte was changed, removed, or added since. Now compare the fingerprint below: anyone can make a key.',
    );
  }
  const count = all.filter(isBad).length;
  if (manifest !== 'whole') return manifestText(manifest);
  return count === 1
    ? t('1 file is not as it was sealed. It is named below.')
    : t('{count} files are not as they were sealed. They are named below.', { count });
}

function signature({ manifest, fingerprint, signer, generation, timeStamp }: ArchiveFinding): HTMLElement {
  const unknown = t('Not known');
  const facts = make(
    'dl',
    { id: 'signer' },
    ...fact(t('Signature'), manifestText(manifest)),
    ...fact(t('Signed by'), signer?.subject ?? unknown),
    ...fact(t('Fingerprint'), fingerprint === null ? unknown : pairs(fingerprint), 'code'),
    ...fact(t('Key generation'), generation === null ? unknown : String(generation)),
    ...fact(t('Valid from'), signer?.validFromMs == null ? unknown : timeText(signer.validFromMs)),
    ...(timeStamp === null ? [] : fact(t('Time stamp'), timeStampText(timeStamp))),
    ...(timeStamp?.fingerprint == null
      ? []
      : fact(t('Fingerprint of the authority'), pairs(timeStamp.fingerprint), 'code')),
  );
  const shown = card(make('h2', {}, t('Who signed')), facts);
  // Of a signature that does not match, the names prove nothing.
  if (manifest !== 'whole' || fingerprint === null) return shown;
  const origin = t(
    'A gateway makes its own key. With it, it signs each segment when it records it, and the list of files when a case is sealed. The certificate is in the archive, so it proves only that the files and their signatures belong together.',
  );
  const compare = t(
    'To know whose key it is, ask the operator of the gateway for the fingerprint, by phone or on paper, not from this archive.',
  );
  shown.append(make('p', {}, origin), make('p', {}, compare), ...comparison(fingerprint));
  return shown;
}

function comparison(fingerprint: string): HTMLElement[] {
  const input = make('input', { class: 'code', autocomplete: 'off', spellcheck: 'false', id: 'expected' });
  const result = make('p', { class: 'compared', role: 'status' });
  input.addEventListener('input', () => {
    const given = (input.value.toLowerCase().match(HEX_DIGITS) ?? []).join('');
    const isEqual = given === fingerprint;
    result.dataset.equal = String(isEqual);
    if (given === '') result.textContent = '';
    else if (isEqual) result.textContent = t('The fingerprints are equal.');
    else if (given.length < FINGERPRINT_DIGITS && fingerprint.startsWith(given)) {
      result.textContent = t('Equal so far. Enter all 64 digits.');
    } else result.textContent = t('The fingerprints differ: another key signed this.');
  });
  return [make('label', { class: 'field' }, t('Fingerprint from the operator'), input), result];
}

function files({ files: all }: ArchiveFinding): HTMLElement {
  const shown = [...all.filter(isBad), ...all.filter((file) => !isBad(file))];
  return card(make('h2', {}, t('Files')), make('ul', { id: 'files' }, ...shown.map(fileRow)));
}

function fileRow(file: FileFinding): HTMLElement {
  const { name, finding, media, cameraSignature } = file;
  const state = finding === 'whole' && isBad(file) ? 'changed' : finding;
  const row = make(
    'li',
    { class: 'file', 'data-name': name },
    make('span', { class: 'name' }, name),
    make('span', { class: 'state', 'data-state': state }, stateText(state)),
  );
  if (media !== null) row.append(make('span', { class: 'about' }, mediaTexts(media).join(' · ')));
  if (cameraSignature !== null) {
    const texts = signatureTexts(cameraSignature).map((text) => make('li', {}, text));
    row.append(make('ul', { class: 'signature' }, ...texts));
  }
  const problems = (media?.problems ?? []).map((problem) => make('li', {}, problemText(problem)));
  if (problems.length > 0) row.append(make('ul', { class: 'problems' }, ...problems));
  return row;
}

function isBad({ finding, media }: FileFinding): boolean {
  return finding !== 'whole' || (media !== null && media.changed + media.unsigned > 0);
}

function fact(name: string, value: string, look = ''): HTMLElement[] {
  return [make('dt', {}, name), make('dd', look === '' ? {} : { class: look }, value)];
}

/** As in "04:18:20". */
function pairs(hex: string): string {
  return hex.match(/../g)!.join(':');
}
