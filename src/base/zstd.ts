/** Decompresses zstd. Bun's streams can, though the DOM's types do not say so. */
export const unzstd = () => new DecompressionStream('zstd' as string as CompressionFormat);
