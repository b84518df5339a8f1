/** The console's address, for tests of what asks the document for it. Import it before everything that does. */

Object.assign(globalThis, { document: { baseURI: 'http://localhost/console/' } });
