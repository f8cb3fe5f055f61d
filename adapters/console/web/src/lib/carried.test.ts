import { expect, test } from 'vitest'
import { fills, inSoftware } from './carried'

test('a renderer in software is known by its name', () => {
  const software = ['ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)', 'llvmpipe (LLVM 15.0.6, 256 bits)', 'ANGLE (Microsoft, Microsoft Basic Render Driver Direct3D11)', 'Apple Software Renderer']
  for (const name of software) expect(inSoftware(name), name).toBe(true)
  for (const name of ['ANGLE (NVIDIA, NVIDIA GeForce RTX 3060 Direct3D11)', 'Mesa Intel(R) UHD Graphics 620 (KBL GT2)', 'Adreno (TM) 640', 'Apple M2', '']) expect(inSoftware(name), name).toBe(false)
})

test('a picture is carried as far as it reaches', () => {
  // 1000 of 1200 px are in view; the picture is complete.
  for (const at of [-100, 0, 42.3, 100.4]) expect(fills(at, 1, 1200, 100, 100), String(at)).toBe(true)
  for (const at of [-101, 101, 5000]) expect(fills(at, 1, 1200, 100, 100), String(at)).toBe(false)
  // If only the visible part was drawn, any move other than magnifying uncovers something.
  expect([fills(0, 1, 1200, 100, 0), fills(1, 1, 1200, 100, 0), fills(-600, 2, 1200, 100, 0)]).toEqual([true, false, true])
  // Reduced about its middle, it fills the view down to some scale.
  expect([fills(600 * (1 - 0.9), 0.9, 1200, 100, 100), fills(600 * (1 - 0.8), 0.8, 1200, 100, 100)]).toEqual([true, false])
})
