/** The files that a person chose or dropped: a ZIP archive, or the folder into which someone unpacked it. */

import type { ByteSource } from '../../src/evidence/byte-source.ts';
import type { ArchiveFiles } from '../../src/evidence/verify-archive.ts';
import { zipFiles } from '../../src/evidence/zip-files.ts';

/** A file with its path from the folder that was chosen. */
export interface PathedFile {
  readonly path: string;
  readonly file: File;
}

const MANIFEST_NAME = 'manifest.json';

/** Rejects with a RangeError if a single file is not an archive whose files are stored as they are. */
export async function archiveFiles(chosen: readonly PathedFile[]): Promise<ArchiveFiles> {
  const [only] = chosen;
  const isArchive = chosen.length === 1 && !only!.path.includes('/') && only!.path !== MANIFEST_NAME;
  return isArchive ? zipFiles(sourceOf(only!.file)) : folderFiles(chosen);
}

/** Of a form's field. */
export function filesOfInput({ files }: HTMLInputElement): PathedFile[] {
  return [...(files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

/** What was dropped, with all files of folders. Call it in the event: later, the list is empty. */
export async function filesOfDrop({ items }: DataTransfer): Promise<PathedFile[]> {
  return (await Promise.all([...items].map(filesOfItem))).flat();
}

/** Chromium's pages from a disk read dropped folders only by handles, which Firefox and Safari do not have. */
interface DroppedItem extends DataTransferItem {
  getAsFileSystemHandle?(): Promise<DroppedHandle | null>;
}

type DroppedHandle =
  | { readonly kind: 'file'; readonly name: string; getFile(): Promise<File> }
  | { readonly kind: 'directory'; readonly name: string; values(): AsyncIterable<DroppedHandle> };

/** Not async: all is asked for in the event. */
function filesOfItem(item: DroppedItem): Promise<PathedFile[]> {
  const entry = item.webkitGetAsEntry();
  const file = item.getAsFile();
  if (entry?.isDirectory !== true) return Promise.resolve(file === null ? [] : [{ path: file.name, file }]);
  const handle = item.getAsFileSystemHandle?.();
  return handle?.then((found) => (found === null ? [] : filesOfHandle(found, ''))) ?? filesOfEntry(entry);
}

async function filesOfHandle(handle: DroppedHandle, folder: string): Promise<PathedFile[]> {
  const path = folder + handle.name;
  if (handle.kind === 'file') return [{ path, file: await handle.getFile() }];
  const found: PathedFile[] = [];
  for await (const inner of handle.values()) found.push(...(await filesOfHandle(inner, `${path}/`)));
  return found;
}

async function filesOfEntry(entry: FileSystemEntry): Promise<PathedFile[]> {
  const path = entry.fullPath.replace(/^\//, '');
  if (isFile(entry)) {
    return [{ path, file: await new Promise<File>((resolve, reject) => entry.file(resolve, reject)) }];
  }
  if (!isFolder(entry)) return [];
  const reader = entry.createReader();
  const found: PathedFile[] = [];
  for (;;) {
    // A browser lists at most some hundred at a time.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (entries.length === 0) return found;
    for (const inner of entries) found.push(...(await filesOfEntry(inner)));
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function folderFiles(chosen: readonly PathedFile[]): ArchiveFiles {
  const prefix = folderOf(chosen.map(({ path }) => path));
  const byName = new Map(
    chosen.map(({ path, file }) => [path.startsWith(prefix) ? path.slice(prefix.length) : path, file]),
  );
  return {
    names: [...byName.keys()],
    async open(name) {
      const file = byName.get(name);
      return file === undefined ? null : sourceOf(file);
    },
  };
}

/** Where the manifest is; without one, the folder that was chosen. Ends with a slash, or is empty. */
function folderOf(paths: readonly string[]): string {
  const manifests = paths.filter((path) => path === MANIFEST_NAME || path.endsWith(`/${MANIFEST_NAME}`));
  const [nearest] = manifests.sort((one, other) => one.length - other.length);
  if (nearest !== undefined) return nearest.slice(0, -MANIFEST_NAME.length);
  const tops = new Set(paths.map((path) => path.slice(0, path.indexOf('/') + 1)));
  return tops.size === 1 ? [...tops][0]! : '';
}

function sourceOf(file: File): ByteSource {
  return {
    byteLength: file.size,
    read: async (offset, length) =>
      new Uint8Array(await file.slice(offset, offset + Math.max(0, length)).arrayBuffer()),
  };
}
