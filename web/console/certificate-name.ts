/** The common name of a certificate's subject, one attribute a line; the whole of one that has none. */
export function nameInCertificate(subject: string): string {
  const attributes = subject.split('\n');
  return attributes.find((each) => each.startsWith('CN='))?.slice('CN='.length) ?? attributes.join(', ');
}
