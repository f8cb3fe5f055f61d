import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

// The files carry the digest of their content in their names, so that a browser keeps them for good.
export default defineConfig({
  plugins: [svelte()],
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    assetsDir: 'console',
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // the content policy takes files of this server alone
    chunkSizeWarningLimit: 1100, // MapLibre
  },
  test: { setupFiles: 'src/vitest.setup.ts' },
  server: { proxy: { '/api': 'http://127.0.0.1:8080' } },
})
