// Preact's types bring the DOM's, which do not know what Bun's streams can do besides.
interface ReadableStream<R> {
  text(): Promise<string>;
}
