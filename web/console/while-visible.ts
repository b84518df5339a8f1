/** Work that repeats while someone can see the page. Returns what ends it. */
export function whileVisible(work: () => void, everyMs: number): () => void {
  const timer = setInterval(() => {
    if (document.visibilityState === 'visible') work();
  }, everyMs);
  return () => clearInterval(timer);
}
