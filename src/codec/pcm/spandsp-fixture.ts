/**
 * G.726 by spandsp 0.0.6 (Debian's libspandsp2), an implementation that shares nothing with ffmpeg's: a chord that swells for
 * a quarter of a second at 8 kHz, as its encoder wrote it with G726_PACKING_RIGHT, which is how RFC 3551 §4.5.4 packs codes.
 */

/** By the bits of a code: base64 of 2000 codes, and how SHA-256 of the samples that its decoder made of them begins. */
export const SPANDSP_VECTORS = [
  {
    bits: 2,
    digest: 'd8ccaaa6bb58aae6',
    codes:
      'AAAAAAAww8AMDwD///8MwAA/wwDAzAAQAMP7/8/A/P8/A/O/zAQEwPz/D8Dwyz8zv/v/A0FwMw8zDcw8TACwr8g/MAA8/wABPfAE' +
      '0TSz/AvCzPw/P8DvL0NQ0/D88zcM//IP874iDxNwPMg8NDD8PBAN774jCDD3/DwAMTBPREDzv/IzNzyLPAMz+z8R0dA/+PA0DLI8' +
      'D/++/g8UdDwjM90wLMPQPbu/MxPcgPPP3TTDQ1AQs+8iM0zz8g7PwMsCUFEAv+88xACOPzK/uDsCRAA8P0/TDcwM3LDv7sh0DPzL' +
      'fNMwPNBB9PzuzkwP/LL8MM//ExHE/SwyA9zz7PzD/v4LEEf2gjw3MczPT/f86vscdAMiCzMBwzwEQfD7igNDw/8izzDPPwdFN/Pv' +
      'PPQx/PI/8/7KMwHBCfICAN3fPzAwi+vLE0Dz/8I3MQnMBAT8ojvDNbDsyzMw/A9Q0QR+KzxAN/8vJvyy//AFdM8LAgDNCfPcw4u6' +
      'C9PB/YgzEw2AwE007Os7ABDP4v8DwzNyRxy97Mrc0cAizs8kv/8HVNy8Ik9A9PA/M7C4i7MBAfM7MgfQ8MBNMPjuPxPQ/OuzHA88' +
      'TxBBw+L/HAD9j//M/4ozxzV98g4DAc2D8Pf8r7/Y3c3ssgB2Az8wFAyiuzxB3Cz+CwI=',
  },
  {
    bits: 3,
    digest: '8e8cec199b06e0e6',
    codes:
      '///////////////////////ftl3b/v8nyf////8kSfL//xMpUpL8tmvX9////33b/v0//23X9h9liZLk8W/f/v/n8W/b9v3/t1vT' +
      'tu/nUaJcfxz/f54kT5z7zxMlz922rfv+/5M8z/37f3IleR7niaRIkZP3rt3bv/P/9237b+78fm/fVi5J0ZP46e/fcfI7vu37d/7b' +
      '5vvaf2LpevL7b34nj5w49+3kuZ7Hbl3Xb65X1537tx0n+fU4vy3rkRL9T/3Wtp8nzp/XftPncZ6/fm8nUiQlT27b9209+vP7te/7' +
      'eRzXtPve+hUpyW+n9p0niZLYTx0nuRLfLW3Xj/Nnf/z09/3rT+T8v/NE2vU8tu3y/WPdSe7Gtf37ef7bt51fiibJsXO+/v880f+/' +
      '9n07//23fWvfyqNdt2LfsfMoiZ77T//kevKGZkvf9Xc5efy7/m9Z0ZP/zv9Iyq7EL12+tf5fefy6du9Y1WPf9p0rWjYrcc7Gv/Po' +
      'SX7bb3//v2/XrXs/UZLlt5w2dxwlUazf1f3k+nO3bdnasr/kuf20t5NfSZ44d7RHkazYfl3bieNPjeO+fv8/f+77vXNlyn7p/svb' +
      '/q/oye/b7v3cv1/zvW39SqIk/p0ylXMlSX7ZVfw8idO3rFn30Z/9ef+3d2LlUeI/liJ9URw/9Hs38fPnueueb+7H+R2795VM0hL9' +
      'Zmo3jpUrl1P79Zv7t223r8NcSb7//+v8vyUpV/7475U8z9vSrevLcRTF92v3fh5Fif74upIp8pPepX37ldIovvu6va3f+m//fhLt' +
      'S/b0Tnk7jvIoseM29f3frl3eveU8UiRb7x03TyIpj6jb+v9cjd22bpsmSZI8Tfnej5Urev78z6frumz/tH3/unPJvWv6tp9YjXzf' +
      '+SVN26WYf3s7/64nsV/XdvMwv+vebeJIWaLcTuvfuhcpytPn/p//912+9G1bc67nfd03vmJd+uOoyvVIcWL6de07khPnrtv6VePk',
  },
  {
    bits: 4,
    digest: '69b0dc6ca99ac523',
    codes:
      '///////////////////////////////uzczM3f7/ERESH//v/v8fIiIR////ITJDQzIR/97M3N3t/v/x/+7e3e7+/x//393c3R8y' +
      'RDU0IhL/7u3t7v/xEf/v7M3u7uH/3r68vM3d/y8zM0M/Ef/v4R8hISIR8eH/HzExMS/tvLu7vc7//iE/Lx/v7/7/ISEi8iH/ITEz' +
      'Q0MhIt/e3ev77d/x/+7vHR0d/uLh4f3t7i8SIzQyIe48ze/8H/EhH+Ic3+0d/h/hH93Lrt2+4kEfMvMS3ePP4S8vMREfw+Es/x8i' +
      '8yHezbzbzN7RTRERH/8ey+HxESITH/HRHiFPQzTzMd3Cyuz8LvxR7i7/zf3t3y8v/+He7PvuMUNjIvPj4t3i2x8vLhIi/d7e3e7x' +
      '///8u7u8vsHyFRE0L+/yrjH9HzIiPxHfwU/+LxQT0d/JrdzdLSsjHx7j7RHM/x8iPyIh/y3uIzVFQiPSzeKr7O8rLePv8d7d3d3h' +
      'TqHh487N7/40JUUi5DPd3/vuHhJMMfH+vrHt/u7i0q7Mu8vd3/Y/UxMREd3x3v8TJBQSw/HeEiFPMeLerqzazB78If8z8t4tr7Et' +
      '0xMzIvEu7vM0U0M1If7c7Lr8zfEvpvPh3u3s/O/tFL3h3uwdIkJFREIRHJKj/h0uTiEv/+7dzN8e/fHOzLrL+80UI04W0/T80Rvy' +
      '/xMkJPHxLu1BERMj4a29udzs69RhLE3hvy++3uLFExPjEi3RIzNEUuQTvs7MyxwtPE8dEezeyvzO4z0u/+3q7fFCVUUkUeJN2RPM' +
      'L/LvUvHP3x3b7fHB7u66yuzLwyPxRhPi4cER7StCEzMT0/FN3sEiFBLPzMnJy+0sUksTE9+yz839/18UIvQf8T1ORDIlFaLvqq7r' +
      'StvFNOIf7M66z93C89Mc793uIUJEZRJO05P/3d8xLiI1/tLO293eHyzvyr27vd/kfR8/IR3//v78PxFSJRE/7h32/SLz4d67ucwb' +
      '2j8jzBf/7tH8zu/yIkJPEfHSMT81JhMUK/q+rNEfP1siId7c6sv8PTse4+/u7R4xQ1UkNuwSG6H8/vH0UhLi7s372u4u3KLsq7y+' +
      '4TE+NTXhH6TOs9ExIjRELhNJz9L/IvHxvLrJus++M+8kFB7fGfrtLhHz9STS8y4vVVFR4jK++q7aPRvkHjPR3dyszM6k813NH97f' +
      'ITI2VTNO4p/D2+7/ITQkEh7du+zr3U/c2h6q2+wdtRYkFCHvLtnCH08yJTQxKuI7HR4REe2sm6zsOvvhNNMi3v3Mre8RFS1V/+I/' +
      '41smEyL0pMG83erR8xMsNM4brrv8/M4zkg==',
  },
  {
    bits: 5,
    digest: '960ea70d38e995cd',
    codes:
      '/////////////////////////////////////3/ve+utNd/9/x+CEEOE8P/3/v//xRBjhBD+//+HMUgppZAyxPd9a6235tx7/3/4' +
      '//veeee9+///DyF8zjnfnf8/SDHHGGOIIP/7znfn3fvwvxDhe88559x3//3/vvOttda4677HH6QQUwgZ4osf+v8/jDCGGCJ8Efr/' +
      'P4gxxhgi+M2zzhnvvPfv/4shhhg//O/9916IMMQgf/wQwg9jEGLEGcWb7z/nm2fe9e/7D+/9/52H3r/3wY/+Rff97/+5GH0UQgYZ' +
      '4pctuA+c+x/+J/+HL/7+n/f+Q+9i/O4973zvrb0nvhPxh/mFh//J/qJrMn4gf4wQ/Ofib9L9L0GQL4T/Wu/Md96beH14IOV/L7rf' +
      'gv8ewgiBCBH+/+HzMMYgZZQSPiH9Gvy15tz7kYdAmRPCueef98/9H178Hv4OfHv+AwmEmGKKIF0U3bHZQ/fxidh/GN73/73vz4UI' +
      'Pfzdv9Z57/x51yaMo40ZX4xdvC1kYPI/GeMP0kcXXmxehhDjky84zyHr2zXf/dxi8CHC/98Hz///H74onwzx//9fbCIKIeaMQ0bw' +
      'XZON7+eiZ6MVJl2UvnXYX3ce/v8I8+L/17p7H4YgJpFjithlDJz/FlyLX4Q2wnSxv9f6cx02+V+ToW/mOuP9ddCJ/EHMEf1/kj/i' +
      '+YvxRyGkiF80+f+K878YowjPt9f45pz5F1iM4nkpQ+jdy8e79yLEF4WUHzg3+nRRiCmonOKN3/5mg6//PJuSBdKkaM8333tvETjZ' +
      '44eROff6ayLKOOecccwPWpSt8cn7k6JJKWRwH7zG3mvvRRde/65vzvbnrzMKJp9yTNDpivHzJ/sP8QsphPzwgyd7E8MJGUV8zvfd' +
      'F+OfN+4p/3XJGP/zn0nnfI8wyveFkB++Phh9Mgw5BJWxi9f6hn7zH7xoolH5f+z978fb9218Nv93vvvfuodgTEGopI/E1/9MhPMn' +
      '25NfyB8j/P0175vr7snX/nd/NcYcE1yyKT2oQojg5P9cLB/9CzPK+ScQ/Qc//BZdTPifiJ9vxjjfy33podSVtB9/+KyHx5+Ljzov' +
      'Z3zhhfj7dGNEMWiEQq7XO1icxz0XFbzH+Z//3AO/3GvPUcDk8xG41l6MMgxCiKASEq8bbXu//oJ8cTwaw/vfs+57e++9yOFvzXHO' +
      'Hv9dcnD7dEMI9//z0Xv2xPx/Rvrk/8K/HmrrYD4pfXOeM773YzxyMEZcxM/ouX9dMuZiiJLPGWWIXj7pJHSTCiKEDGQL1kLf7EMY' +
      '3VykshBe+6017pls87Pgh3zce/+iC1OQOYiYxX81+IRsORnhF7LR+F7w3ffAuIf/8+Djap/t/jeXHwwnCBlRdB+o/m3wF2EUYkop' +
      '5O9U0c/Db2HCD5/3nG3GNpPbrSJln3+K55lrnrn2/vxQwlDjC436F34kYdBHweTDsTU5449PHodrYsjfmm+/L+5/hIo818Xo7fn/' +
      'IxBzEDLH5DT2JSlX0X8g/pty/hB5dJGxuJ2P7Yve/mpx89Uf1XCGNwWRIfrPhtxL9PimB4PSJ8RYQnwuefwRgvBf73tvttmHbX9B' +
      'xP9hRM/67311/2SgrwtCZIv9UU4YDUJMKWWfSjTGWGsdcjH/aKGK9hvrnnHmOnCTA+I=',
  },
] as const;
