// Preact's types include the DOM's, which lack what Bun's streams can do in addition.
interface ReadableStream<R> {
  text(): Promise<string>;
}
