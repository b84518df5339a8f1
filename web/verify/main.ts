/**
 * The page in the archive of a sealed case: a person drops the archive or its folder, and it says what is whole, missing, or
 * changed (docs/design/evidence.md#archives). It works from a disk, without a network, and its policy forbids requests.
 */

import { canVerify, verifyArchive } from '../../src/evidence/verify-archive.ts';
import { loadCatalog } from '../words/catalog.ts';
import { t } from '../words/plain-words.ts';
import { archiveFiles, filesOfDrop, filesOfInput, type PathedFile } from './chosen-files.ts';
import { card, make } from './nodes.ts';
import { report } from './report.ts';

const results = make('div', { id: 'results', 'aria-live': 'polite' });
/** Grows with each choice, so that an earlier check does not show its result after a later one. */
let turn = 0;

async function check(getFiles: () => Promise<readonly PathedFile[]>): Promise<void> {
  const own = ++turn;
  const bar = make('progress', { 'aria-label': t('Progress') });
  const text = make('p', {}, t('Reading files…'));
  results.replaceChildren(card(text, bar));
  const shown = await checked(getFiles, (done, total) => {
    if (own !== turn) return;
    text.textContent = t('Checking file {number} of {count}…', { number: done + 1, count: total });
    bar.max = total;
    bar.value = done;
  });
  if (own === turn) results.replaceChildren(...shown);
}

async function checked(
  getFiles: () => Promise<readonly PathedFile[]>,
  onProgress: (done: number, total: number) => void,
): Promise<HTMLElement[]> {
  try {
    const chosen = await getFiles();
    if (chosen.length === 0) return [failure(t('There is no file in it.'))];
    const name = chosen[0]!.path.split('/')[0]!;
    return report(name, await verifyArchive(await archiveFiles(chosen), { onProgress }));
  } catch (thrown) {
    if (thrown instanceof RangeError) {
      return [
        failure(
          t(
            'This is not the archive of a case, or it is damaged. If a program packed it again, unpack it and choose the folder.',
          ),
        ),
      ];
    }
    return [
      failure(
        t(
          'The browser cannot read these files. Try the buttons instead, or copy the files to this computer.',
        ),
      ),
    ];
  }
}

function failure(text: string): HTMLElement {
  const shown = card(make('h2', {}, t('Not checked')), make('p', {}, text));
  shown.classList.add('verdict');
  return shown;
}

function choice(id: string, label: string, look: string, attributes: Readonly<Record<string, string>>) {
  const input = make('input', { type: 'file', id, ...attributes });
  input.addEventListener('change', () => {
    const files = filesOfInput(input);
    // The same file can be chosen again.
    input.value = '';
    if (files.length > 0) void check(async () => files);
  });
  return make('label', { class: `choice ${look}` }, label, input);
}

function dropArea(): HTMLElement {
  const area = card(
    make('p', {}, t('Drop the archive (ZIP) or its unpacked folder here, or choose it.')),
    make(
      'div',
      { class: 'choices' },
      choice('archive', t('Choose archive'), 'primary', { accept: '.zip,application/zip' }),
      choice('folder', t('Choose folder'), '', { webkitdirectory: '' }),
    ),
  );
  area.classList.add('drop');
  area.id = 'drop';
  const over = (event: DragEvent, isOver: boolean): void => {
    // Otherwise the browser opens what is dropped.
    event.preventDefault();
    area.dataset.over = String(isOver);
  };
  document.addEventListener('dragover', (event) => over(event, true));
  document.addEventListener('dragleave', (event) => over(event, false));
  document.addEventListener('drop', (event) => {
    over(event, false);
    const files = event.dataTransfer === null ? Promise.resolve([]) : filesOfDrop(event.dataTransfer);
    void check(() => files);
  });
  return area;
}

async function start(): Promise<void> {
  await loadCatalog();
  document.title = t('Check a case');
  const page = document.getElementById('page')!;
  page.append(
    make('h1', {}, t('Check a case')),
    make('p', { class: 'muted' }, t('Nothing leaves this computer. This page works without a network.')),
  );
  if (!(await canVerify())) {
    page.append(
      failure(
        t(
          'This browser cannot check Ed25519 signatures. Use a current version of Chrome, Edge, Firefox, or Safari.',
        ),
      ),
    );
    return;
  }
  const trust = t(
    'This page came with the archive. Someone who changed the archive could have changed this page, too. If that matters, use the page of another archive that you trust, or the command “sluice verify”.',
  );
  page.append(dropArea(), results, card(make('h2', {}, t('Can you trust this page?')), make('p', {}, trust)));
}

void start();
