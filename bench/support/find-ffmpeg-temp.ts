export async function findFfmpeg(_o: object): Promise<{ path: string; version: string }> {
  return { path: 'ffmpeg', version: '' };
}
