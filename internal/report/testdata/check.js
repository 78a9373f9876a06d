// Looks at the page in each frame, and writes what is wrong as JSON.
addEventListener('load', () => {
  const all = []
  for (const frame of document.querySelectorAll('iframe')) {
    all.push(look(frame))
  }
  document.getElementById('result').textContent = JSON.stringify(all)
})

function look (frame) {
  const doc = frame.contentDocument, win = frame.contentWindow
  const problems = [], marks = {}
  let texts = 0
  const say = s => problems.push(s)
  const shown = e => e.getClientRects().length > 0
  const width = Number(frame.dataset.width)

  if (doc.documentElement.scrollWidth > width) say(`the page is wider than the window: ${doc.documentElement.scrollWidth}`)
  for (const e of win.performance.getEntriesByType('resource')) say(`it loaded ${e.name}`)

  // Pictures: one layout is shown, with a title, and its labels have room.
  for (const pic of doc.querySelectorAll('.pic')) {
    const layouts = layoutsOf(pic).filter(shown)
    if (layouts.length !== 1) say(`${layouts.length} layouts are shown of a picture`)
    const sums = layoutsOf(pic).map(c => c.querySelectorAll('.mark').length)
    if (new Set(sums).size > 1) say(`the layouts of a picture have ${sums} marks`)
    if (width < 500 && layouts.some(l => !l.classList.contains('narrow'))) say('the wide layout is shown in a narrow window')
  }
  for (const svg of doc.querySelectorAll('svg')) {
    if (!shown(svg)) continue
    const title = svg.querySelector('title')?.textContent.trim() ?? ''
    const ids = (svg.getAttribute('aria-labelledby') ?? '').split(' ')
    if (!title || svg.getAttribute('role') !== 'img' || ids.length !== 2 || ids.some(i => !doc.getElementById(i)?.textContent.trim())) {
      say(`a picture has no title, description or role: ${title}`)
    }
    marks[title] = svg.querySelectorAll('.mark').length
    const canvas = svg.getBoundingClientRect()
    if (canvas.left < -0.5 || canvas.right > width + 0.5) say(`"${title}" is wider than the window`)
    for (const m of svg.querySelectorAll('.mark')) {
      const b = m.getBoundingClientRect()
      if (b.width === 0 && b.height === 0) say(`a mark of "${title}" has no size`)
      if (outside(b, canvas)) say(`a mark leaves its picture "${title}"`)
    }
    const labels = [...svg.querySelectorAll('text')].map(e => ({ e, box: e.getBoundingClientRect() }))
    texts += labels.length
    labels.forEach(({ e, box }, i) => {
      const size = parseFloat(win.getComputedStyle(e).fontSize) * canvas.width / svg.viewBox.baseVal.width
      if (size < 11) say(`"${e.textContent}" is written in ${size.toFixed(1)} px`)
      if (outside(box, canvas)) say(`"${e.textContent}" leaves its picture "${title}"`)
      for (const other of labels.slice(i + 1)) {
        if (meet(box, other.box)) say(`"${e.textContent}" and "${other.e.textContent}" overlap in "${title}"`)
      }
      const fill = rgb(win.getComputedStyle(e).fill)
      let ground = rgb(win.getComputedStyle(svg).getPropertyValue('--bg') || '#fff')
      if (e.classList.contains('in')) {
        const bar = [...svg.querySelectorAll('rect.mark')].find(r => !outside(box, r.getBoundingClientRect()))
        if (bar) ground = rgb(win.getComputedStyle(bar).fill)
        else say(`"${e.textContent}" stands in no bar of "${title}"`)
      }
      if (contrast(fill, ground) < 4.5) say(`the contrast of "${e.textContent}" is ${contrast(fill, ground).toFixed(2)}`)
    })
    // A picture says 3:1 for what is no text (WCAG 1.4.11).
    for (const m of svg.querySelectorAll('rect.mark, circle.mark, path.line, path.ref')) {
      const style = win.getComputedStyle(m)
      const colour = rgb(style.fill === 'none' ? style.stroke : style.fill)
      if (contrast(colour, rgb(win.getComputedStyle(svg).getPropertyValue('--bg'))) < 3) say(`a mark of "${title}" is too pale`)
    }
  }

  // Text can be told from what it stands on.
  for (const e of doc.querySelectorAll('body *:not(svg, svg *)')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())
    if (!own || !shown(e)) continue
    let at = e, ground = [0, 0, 0, 0]
    while (at && ground[3] === 0) {
      ground = rgb(win.getComputedStyle(at).backgroundColor)
      at = at.parentElement
    }
    if (ground[3] === 0) ground = win.matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18, 1] : [255, 255, 255, 1]
    const c = contrast(rgb(win.getComputedStyle(e).color), ground)
    if (c < 4.5) say(`the contrast of "${e.textContent.trim().slice(0, 40)}" is ${c.toFixed(2)}`)
    const b = e.getBoundingClientRect()
    if (!e.closest('.scroll, .skip') && b.right > width + 0.5) say(`"${e.textContent.trim().slice(0, 40)}" is wider than the window`)
  }

  // Structure: headings without gaps, ids once, links that lead somewhere.
  let level = 0
  for (const h of doc.querySelectorAll('h1,h2,h3,h4,h5,h6')) {
    const l = Number(h.tagName[1])
    if (l > level + 1) say(`h${l} follows h${level}: ${h.textContent}`)
    level = l
  }
  if (doc.querySelectorAll('h1').length !== 1) say('there is not one h1')
  const ids = [...doc.querySelectorAll('[id]')].map(e => e.id)
  for (const id of new Set(ids)) if (ids.filter(i => i === id).length > 1) say(`the id ${id} is there twice`)
  for (const a of doc.querySelectorAll('a[href^="#"]')) if (!doc.getElementById(a.hash.slice(1))) say(`${a.hash} leads nowhere`)
  for (const s of doc.querySelectorAll('.scroll')) if (s.tabIndex !== 0 || !s.getAttribute('aria-label')) say('a table that scrolls cannot be reached with the keyboard')
  if (!doc.documentElement.lang) say('the page has no language')

  return { Width: width, Dark: win.matchMedia('(prefers-color-scheme: dark)').matches, Problems: problems, Marks: marks, Texts: texts }
}

function layoutsOf (pic) {
  return [...pic.children].filter(c => c.matches('.wide, .narrow'))
}

function outside (b, of) {
  return b.left < of.left - 1 || b.right > of.right + 1 || b.top < of.top - 1 || b.bottom > of.bottom + 1
}

// Boxes of text are as high as the line, so they may touch.
function meet (a, b) {
  return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1.5
}

function rgb (s) {
  const probe = rgb.canvas ??= document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  probe.clearRect(0, 0, 1, 1)
  probe.fillStyle = s.trim()
  probe.fillRect(0, 0, 1, 1)
  const [r, g, b, a] = probe.getImageData(0, 0, 1, 1).data
  return [r, g, b, a / 255]
}

function luminance ([r, g, b]) {
  const [x, y, z] = [r, g, b].map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  return 0.2126 * x + 0.7152 * y + 0.0722 * z
}

function contrast (a, b) {
  const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p)
  return (x + 0.05) / (y + 0.05)
}
