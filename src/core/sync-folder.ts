import { open } from 'node:fs/promises';

/** Makes names in a folder last through a power cut: files that were created, renamed or removed. Fails like the disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
